"""The guard as a Lightning callback: `Trainer(callbacks=[firstlight.integrations.lightning.Guard()])`."""

from typing import Any

from lightning.pytorch import Callback, LightningModule, Trainer

from firstlight.guard.attach import Guard as LiveGuard
from firstlight.guard.attach import guard
from firstlight.records.telemetry import Trip


class Guard(Callback):  # type: ignore[misc]  # Lightning's classes are Any to us
    """Takes the options of `firstlight.guard`. `on_red="stop"` ends the fit as early stopping does, after the batch."""

    def __init__(self, *, on_red: Any = "warn", **options: Any) -> None:
        self._on_red, self._options = on_red, options
        self.guard: LiveGuard | None = None

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        schedulers = [config.scheduler for config in trainer.lr_scheduler_configs]
        scaler = getattr(trainer.precision_plugin, "scaler", None)
        parts = [pl_module, list(trainer.optimizers), schedulers, *([scaler] if scaler is not None else [])]
        self.guard = guard(*parts, on_red=self._red(trainer), **self._options)

    def _red(self, trainer: Trainer) -> Any:
        if self._on_red != "stop":
            return self._on_red

        def stop(_trip: Trip, _guard: LiveGuard) -> None:
            trainer.should_stop = True

        return stop

    def on_train_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._close()

    def on_exception(self, trainer: Trainer, pl_module: LightningModule, exception: BaseException) -> None:
        if self.guard is not None:
            self.guard.__exit__(type(exception), exception, None)

    def _close(self) -> None:
        if self.guard is not None:
            self.guard.close()
