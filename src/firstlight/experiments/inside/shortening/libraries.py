"""Loops that are not the user's: Lightning and the Hugging Face Trainer are shortened by their own means."""

import functools
import weakref
from collections.abc import Callable
from types import ModuleType
from typing import Any

from firstlight.experiments.inside.shortening import lightning_totals
from firstlight.experiments.inside.shortening.lightning_totals import MEANT, Meant
from firstlight.experiments.inside.shortening.rounds import Book, Loop, Plan
from firstlight.observe.inside.imports import when_imported

LIMITS = ("limit_train_batches", "limit_val_batches", "limit_test_batches", "limit_predict_batches")


def shorten(book: Book) -> None:
    for name in ("lightning.pytorch.trainer.trainer", "pytorch_lightning.trainer.trainer"):
        when_imported(name, lambda module: _shorten_lightning(module.Trainer, book))
    when_imported("transformers.trainer", lambda module: _shorten_transformers(module, book))


def _after(owner: Any, name: str, change: Callable[[Any], None]) -> None:
    """Calls `change` with the object whenever a method of it is over."""
    original = getattr(owner, name)

    @functools.wraps(original)
    def method(self: Any, *arguments: Any, **options: Any) -> Any:
        found = original(self, *arguments, **options)
        change(self)
        return found

    setattr(owner, name, method)


def _shorten_lightning(trainer: Any, book: Book) -> None:
    def fitted(trainer: Any) -> None:
        book.epochs += trainer.current_epoch

    def made(trainer: Any) -> None:
        book.evaluates_less = True
        setattr(trainer, MEANT, Meant(trainer.limit_train_batches, trainer.fit_loop.max_epochs))
        _limit(trainer, book.plan)

    _after(trainer, "__init__", made)
    _after(trainer, "fit", fitted)
    lightning_totals.keep(trainer)
    lightning_totals.follow(trainer, book)


def _limit(trainer: Any, plan: Plan) -> None:
    """As `limit_train_batches`, `max_epochs` and their like would; what is switched off stays so."""
    for name in LIMITS:
        setattr(trainer, name, _fewer(getattr(trainer, name), plan.inner))
    loop = trainer.fit_loop
    loop.max_epochs = _fewer(loop.max_epochs, plan.outer)
    loop.min_epochs = None
    if isinstance(trainer.val_check_interval, int):
        trainer.val_check_interval = min(trainer.val_check_interval, plan.inner)
    if trainer.check_val_every_n_epoch is not None:
        trainer.check_val_every_n_epoch = min(trainer.check_val_every_n_epoch, plan.outer)


def _fewer(given: Any, most: int) -> int:
    """A share of all batches is a float; -1 and None are no limit at all."""
    if given is None or isinstance(given, float) or given < 0:
        return 0 if given == 0 else most
    return min(int(given), most)


def _shorten_transformers(module: ModuleType, book: Book) -> None:
    class FewRounds(module.TrainerCallback):  # type: ignore[misc, name-defined]
        """Ends epochs and training early, and has whatever is done every so many steps done once before."""

        def __init__(self, trainer: Any) -> None:
            self.rounds = self.epochs = 0
            self._trainer = weakref.ref(trainer)
            self._loop: Loop | None = None

        def on_train_begin(self, *_: Any, **__: Any) -> None:
            self._loop = book.follow(module.Trainer._inner_training_loop)

        def on_train_end(self, _arguments: Any, state: Any, _control: Any, **__: Any) -> None:
            """One round is a step of the optimizer: so it counts them itself."""
            if self._loop is None:
                return
            self._loop.planned, self._loop.rounds = state.max_steps, state.global_step
            others = getattr(getattr(self._trainer(), "callback_handler", None), "callbacks", ())
            self._loop.may_be_left = any("EarlyStopping" in type(one).__name__ for one in others)

        def on_epoch_begin(self, *_: Any, **__: Any) -> None:
            self.rounds = 0

        def on_step_end(self, arguments: Any, _state: Any, control: Any, **__: Any) -> None:
            self.rounds += 1
            if self.rounds < book.plan.inner:
                return
            control.should_epoch_stop = True
            control.should_evaluate |= _every_step(arguments, "eval_strategy", "evaluation_strategy")
            control.should_save |= _every_step(arguments, "save_strategy")

        def on_epoch_end(self, _arguments: Any, _state: Any, control: Any, **__: Any) -> None:
            self.epochs += 1
            book.epochs += 1
            control.should_training_stop |= self.epochs >= book.plan.outer

    _after(module.Trainer, "__init__", lambda made: made.add_callback(FewRounds(made)))


def _every_step(arguments: Any, *names: str) -> bool:
    chosen = next((getattr(arguments, name) for name in names if hasattr(arguments, name)), None)
    return str(getattr(chosen, "value", chosen)) == "steps"
