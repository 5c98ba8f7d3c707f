"""The guard as a callback of the Hugging Face Trainer: `Trainer(…, callbacks=[GuardCallback()])`."""

from types import TracebackType
from typing import Any, Unpack

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from firstlight.guard.attach import Guard, guarding
from firstlight.guard.options import Choices, Options
from firstlight.integrations.stopping import Stopping

ABOUT_ITSELF = ("epoch", "_runtime", "_per_second", "_time")
"""How names end under which an evaluation tells of itself rather than of the model."""


class GuardCallback(TrainerCallback):  # type: ignore[misc]  # the library's classes are Any to us
    """Takes the options of `firstlight.guard`. `on_red="stop"` ends the training after the step, by the Trainer's own
    switch, so that it still saves and reports. Metrics of evaluations are told to the guard.

    The Trainer does not tell its callbacks of an exception. One that ends the program closes the guard; where the
    program catches it, the next training does, or `with GuardCallback() as callback:` around this one.
    """

    def __init__(self, **options: Unpack[Choices]) -> None:
        self._options = Options.of(options)
        self._stopping = Stopping()
        self.guard: Guard | None = None

    def __enter__(self) -> "GuardCallback":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.guard is not None:
            self.guard.__exit__(kind, error, trace)

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        if self.guard is not None:
            self.guard.close()
        parts = [kwargs[name] for name in ("model", "optimizer", "lr_scheduler") if kwargs.get(name) is not None]
        self._stopping = Stopping()
        self.guard = guarding(parts, self._stopping.instead(self._options))
        self.guard.status, self.guard.ended = "interrupted", "the training did not come to its end"

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        control.should_training_stop = control.should_training_stop or self._stopping.is_wanted

    def on_evaluate(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        if self.guard is not None:
            metrics = kwargs.get("metrics") or {}
            self.guard.log(**{name: value for name, value in metrics.items() if not name.endswith(ABOUT_ITSELF)})

    def on_train_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        if self.guard is not None:
            if self.guard.status == "interrupted":
                self.guard.status, self.guard.ended = "ok", "the training came to its end"
            self.guard.close()
