"""The guard for a program that does not know of it: attached from outside, at the first step of each optimizer.

`install` is called once torch is imported, before or while the program runs. Optimizers announce themselves by torch's
global step hooks; the model of an optimizer is the outermost module that holds its parameters.
"""

import atexit
import gc
from typing import Any

import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_pre_hook

from firstlight.guard.attach import Guard
from firstlight.guard.options import Options
from firstlight.store.run_directory import RunDirectory

_current: "Inside | None" = None


class Inside:
    """Adds whatever steps to one guard, until it is removed."""

    def __init__(self, guard: Guard) -> None:
        self.guard = guard
        self._known: set[int] = set()
        self._meet = guard.shield("finding models", self._met)
        self._handle = register_optimizer_step_pre_hook(self._begins)
        atexit.register(self._ends)

    def _ends(self) -> None:
        """While Python is whole: a process group that the guard alone still holds aborts where it is freed later."""
        self.guard.close()
        for held in (self.guard.models, self.guard.optimizers, self.guard.schedulers, self.guard.watches):
            held.clear()
        gc.collect()

    def remove(self) -> None:
        global _current  # noqa: PLW0603  # one program, one guard from outside
        _current = None
        atexit.unregister(self._ends)
        self._handle.remove()
        self.guard.close()

    def _begins(self, optimizer: torch.optim.Optimizer, _arguments: Any, _keywords: Any) -> None:
        if id(optimizer) not in self._known and not self.guard.closed:
            self._known.add(id(optimizer))
            self._meet(optimizer)

    def _met(self, optimizer: torch.optim.Optimizer) -> None:
        """Its own hooks, registered here, run at this very step: torch takes them after the global ones."""
        if not self.guard.active or any(optimizer is known for known in self.guard.optimizers):
            return
        known = {id(model) for model in self.guard.models.values()}
        self.guard.add(*(model for model in models_of(optimizer) if id(model) not in known), optimizer)


def models_of(optimizer: torch.optim.Optimizer) -> list[nn.Module]:
    """Outermost modules that hold some of its parameters. Looks at every object of the process: once an optimizer."""
    wanted = {id(parameter) for group in optimizer.param_groups for parameter in group["params"]}
    # By its type: `isinstance` asks the object for its class, and some answer with a warning.
    modules: list[nn.Module] = [each for each in gc.get_objects() if issubclass(type(each), nn.Module)]
    inner = {id(child) for module in modules for child in module.modules() if child is not module}
    return [
        module
        for module in modules
        if id(module) not in inner and any(id(parameter) in wanted for parameter in module.parameters())
    ]


def install(options: Options | None = None) -> Inside:
    global _current  # noqa: PLW0603  # as above
    _current = Inside(Guard((), options or Options()))
    return _current


def hand_over() -> RunDirectory | None:
    """To a guard that the program attaches itself: the one from outside lets go, and its run is the other's."""
    if _current is None:
        return None
    run = _current.guard.options.directory
    _current.remove()
    return run if isinstance(run, RunDirectory) else None
