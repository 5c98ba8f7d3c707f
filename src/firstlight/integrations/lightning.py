"""The guard as a Lightning callback: `Trainer(callbacks=[firstlight.integrations.lightning.Guard()])`."""

from typing import Any, Unpack

from lightning.pytorch import Callback, LightningModule, Trainer

from firstlight.guard.attach import Guard as LiveGuard
from firstlight.guard.attach import guarding
from firstlight.guard.options import Choices, Options
from firstlight.integrations.stopping import Stopping


class Guard(Callback):  # type: ignore[misc]  # Lightning's classes are Any to us
    """Takes the options of `firstlight.guard`. `on_red="stop"` ends the fit as early stopping does, after the batch.

    What validation logs is told to the guard, under the same names."""

    def __init__(self, **options: Unpack[Choices]) -> None:
        self._options = Options.of(options)
        self._stopping = Stopping()
        self._known: dict[str, Any] = {}
        self.guard: LiveGuard | None = None

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._close()
        schedulers = [config.scheduler for config in trainer.lr_scheduler_configs]
        scaler = getattr(trainer.precision_plugin, "scaler", None)
        parts = [pl_module, list(trainer.optimizers), schedulers, *([scaler] if scaler is not None else [])]
        self._stopping = Stopping()
        self.guard = guarding(parts, self._stopping.instead(self._options))

    def on_train_batch_end(self, trainer: Trainer, *_: Any, **__: Any) -> None:
        trainer.should_stop = trainer.should_stop or self._stopping.is_wanted

    def on_validation_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._known = dict(trainer.callback_metrics)

    def on_validation_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Those of training are among the metrics too, as they were before; a bare `loss` is one of a step."""
        if self.guard is not None and not trainer.sanity_checking:
            fresh = {n: value for n, value in trainer.callback_metrics.items() if self._known.get(n) is not value}
            fresh.pop("loss", None)
            self.guard.log(**fresh)

    def on_train_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._close()

    def on_exception(self, trainer: Trainer, pl_module: LightningModule, exception: BaseException) -> None:
        if self.guard is not None:
            self.guard.__exit__(type(exception), exception, None)

    def _close(self) -> None:
        if self.guard is not None:
            self.guard.close()
