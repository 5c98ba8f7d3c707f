"""Repeats the run up to the step that went wrong, then follows every operation of it to the one that began it."""

import os
from typing import Any

import torch

from firstlight.observe.inside import reading
from firstlight.observe.inside.localise import Birth, Localiser, ModulePath, told
from firstlight.observe.inside.observer import Observer, rank


class Search:
    def __init__(self, observer: Observer, step: int) -> None:
        self.observer, self.step = observer, step
        self.mode: Localiser | None = None

    def follow(self, *_: Any) -> None:
        """A step was reached. After the one that is searched there is nothing more to find."""
        if self.observer.step == self.step:
            path = ModulePath(self.observer.entering)
            path.follow()
            self.mode = Localiser(path.called, path)
            self.mode.__enter__()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        elif self.observer.step > self.step:
            os._exit(0)

    def backward_begins(self, root: torch.Tensor, *_: Any) -> None:
        if self.mode is not None:
            self._tell(self.mode.origin(root))

    def backward_ended(self, _root: torch.Tensor) -> None:
        if self.mode is None:
            return
        for parameter in (p for held in self.observer.optimizers() for p in held.parameters):
            if parameter.grad is not None and reading.readable(parameter.grad):
                self._tell(self.mode.origin(parameter.grad))

    def _tell(self, birth: Birth | None) -> None:
        if birth is not None:
            with torch.utils._python_dispatch._disable_current_modes():
                self.observer.emit(told(birth, self.step, rank()))
            os._exit(0)


def begin(observer: Observer, value: str) -> None:
    search = Search(observer, int(value))
    observer.moments.next_step.append(search.follow)
    observer.moments.backward_begins.insert(0, search.backward_begins)
    observer.moments.backward_ended.insert(0, search.backward_ended)
    search.follow()
