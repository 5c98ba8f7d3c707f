"""Gives a stage of a copy perfect answers: in place of what a module made comes what a function of the user's makes.

The function is given what the stage made and the batch that the loader gave last, and returns what the stage should
have made, as it would have come from the stage.
"""

import importlib
from typing import TYPE_CHECKING, Any

from torch.nn.modules.module import Module, register_module_forward_pre_hook

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer


def substitute(observer: "Observer", value: str) -> None:
    """`STAGE=MODULE:FUNCTION`: a module by its name within a model, and the function that answers for it."""
    stage, _, function = value.partition("=")
    answer = OracleAnswer(observer, function)
    answered: list[Module] = []

    def find(module: Module, _given: Any) -> None:
        for path, part in module.named_modules() if not answered else ():
            if path == stage or path.endswith(f".{stage}"):
                part.register_forward_hook(answer)
                answered.append(part)
                return

    def judge(*_: Any) -> None:
        if not answered and observer.step:
            give_up(observer, f"no model that was called has a module `{stage}`")

    observer.moments.batch_given.append(answer.remember)
    observer.moments.backward_begins.append(judge)
    register_module_forward_pre_hook(find)
    if observer.entering is not None:  # its own hooks are under way already
        find(observer.entering, ())


class OracleAnswer:
    """What the user's function says, whenever the stage has answered. Where it fails, the copy ends."""

    def __init__(self, observer: "Observer", function: str) -> None:
        self.observer, self.function = observer, function
        self.batch = observer.last_batch[1]
        module, _, name = function.partition(":")
        try:
            self._answer = getattr(importlib.import_module(module), name)
        except Exception as error:  # noqa: BLE001 (whatever the user's module does when it is imported)
            give_up(observer, f"`{function}` cannot be used: {type(error).__name__}: {error}")

    def remember(self, _loader: Any, batch: Any) -> None:
        self.batch = batch

    def __call__(self, _module: Module, _given: Any, made: Any) -> Any:
        try:
            return self._answer(made, self.batch)
        except Exception as error:  # noqa: BLE001 (as above)
            give_up(self.observer, f"`{self.function}` failed: {type(error).__name__}: {error}")


def give_up(observer: "Observer", reason: str) -> None:
    observer.unseen("oracle", reason)
    observer.stop("unseen")
