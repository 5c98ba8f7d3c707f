"""What a Trainer of Lightning would make of a program by itself: schedules are sized by the totals that it tells.

Whoever asks from outside of Lightning is told of the whole run; Lightning's own loops go by what was made of it.
"""

import functools
import math
import sys
from dataclasses import dataclass
from typing import Any

from firstlight.experiments.inside.shortening.rounds import Book, Loop

MEANT = "_firstlight_meant"
OWN = ("lightning.", "pytorch_lightning.")


@dataclass(frozen=True, slots=True)
class Meant:
    """As the program set it."""

    batches: int | float
    """A number, or a share of all."""
    epochs: int | None


def keep(trainer: Any) -> None:
    for name, told in (
        ("max_epochs", lambda trainer, meant: meant.epochs),
        ("num_training_batches", _batches),
        ("estimated_stepping_batches", _steps),
    ):
        _keep(trainer, name, told)


def _keep(trainer: Any, name: str, told: Any) -> None:
    original = getattr(trainer, name).fget

    @functools.wraps(original)
    def asked(self: Any) -> Any:
        found, meant = original(self), getattr(self, MEANT, None)
        if meant is None or sys._getframe(1).f_globals.get("__name__", "").startswith(OWN):
            return found
        whole = told(self, meant)
        return found if whole is None else whole

    setattr(trainer, name, property(asked))


def _batches(trainer: Any, meant: Meant) -> int | None:
    """Of one epoch; None where no loader says."""
    loaders = getattr(getattr(trainer.fit_loop, "_combined_loader", None), "flattened", ())
    try:
        every = max(len(loader) for loader in loaders)
    except (TypeError, ValueError):
        return None
    return int(every * meant.batches) if isinstance(meant.batches, float) else min(every, int(meant.batches))


def _steps(trainer: Any, meant: Meant) -> int | None:
    batches = _batches(trainer, meant)
    if batches is None or meant.epochs is None or meant.epochs < 0:
        return None
    steps: int = math.ceil(batches / trainer.accumulate_grad_batches) * max(meant.epochs, 1)
    return steps if trainer.max_steps == -1 else min(steps, int(trainer.max_steps))


def follow(trainer: Any, book: Book) -> None:
    original = trainer.fit

    @functools.wraps(original)
    def fit(self: Any, *arguments: Any, **options: Any) -> Any:
        epochs, batches = (book.follow(type(loop).run) for loop in (self.fit_loop, self.fit_loop.epoch_loop))
        found = original(self, *arguments, **options)
        if (meant := getattr(self, MEANT, None)) is not None:
            _say(self, meant, epochs, batches)
        return found

    trainer.fit = fit


def _say(trainer: Any, meant: Meant, epochs: Loop, batches: Loop) -> None:
    """How many rounds its loops would have made, once they have made some."""
    length, most = _batches(trainer, meant), math.inf if meant.epochs is None or meant.epochs < 0 else meant.epochs
    if not length:
        return
    if trainer.max_steps != -1:
        needed = int(trainer.max_steps) * trainer.accumulate_grad_batches
        most, length = min(most, math.ceil(needed / length)), min(length, needed)
    batches.planned, batches.rounds = length, int(trainer.fit_loop.max_batches)
    batches.passes = trainer.current_epoch
    epochs.planned, epochs.rounds = None if most == math.inf else int(most), trainer.current_epoch
    epochs.may_be_left = bool(trainer.early_stopping_callbacks)
