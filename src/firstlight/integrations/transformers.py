"""The guard as a callback of the Hugging Face Trainer: `Trainer(…, callbacks=[GuardCallback()])`."""

from typing import Any

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from firstlight.guard.attach import Guard, guard
from firstlight.records.telemetry import Trip


class GuardCallback(TrainerCallback):  # type: ignore[misc]  # the library's classes are Any to us
    """Takes the options of `firstlight.guard`. `on_red="stop"` ends the training after the step, by the Trainer's own
    switch, so that it still saves and reports."""

    def __init__(self, *, on_red: Any = "warn", **options: Any) -> None:
        self._on_red, self._options = on_red, options
        self._stopping = False
        self.guard: Guard | None = None

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        parts = [kwargs[name] for name in ("model", "optimizer", "lr_scheduler") if kwargs.get(name) is not None]
        self.guard = guard(*parts, on_red=self._stop if self._on_red == "stop" else self._on_red, **self._options)

    def _stop(self, _trip: Trip, _guard: Guard) -> None:
        self._stopping = True

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        control.should_training_stop = control.should_training_stop or self._stopping

    def on_train_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        if self.guard is not None:
            self.guard.close()
