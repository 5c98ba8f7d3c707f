"""Schedules and loss scalers: when one is built, when one is given a state, and states of theirs in a checkpoint."""

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch

KEYS = {"schedule": {"last_epoch", "_last_lr"}, "scaler": {"scale", "growth_factor"}}
"""By which the state of such a thing is known."""
MOST_DEPTH = 3
Told = Callable[[str], None]


def kinds_in(tree: Any, depth: int = 0) -> Iterator[str]:
    """Of the states in nested mappings."""
    if not isinstance(tree, Mapping) or depth > MOST_DEPTH:
        return
    yield from (kind for kind, keys in KEYS.items() if keys <= tree.keys())
    for item in tree.values():
        yield from kinds_in(item, depth + 1)


def watch(built: Told, given_state: Told) -> None:
    for kind, owner in _owners():
        _tell(owner, "__init__", functools.partial(built, kind))
        _tell(owner, "load_state_dict", functools.partial(given_state, kind))


def watch_rates(told: Callable[[Any], None]) -> None:
    """`told` is given each schedule whenever it has set the rates of its optimizer."""
    for kind, owner in _owners():
        for name in ("__init__", "step") if kind == "schedule" else ():
            _hand_over(owner, name, told)


def _owners() -> Iterator[tuple[str, type]]:
    yield "scaler", torch.amp.GradScaler
    for found in vars(torch.optim.lr_scheduler).values():
        if isinstance(found, type) and issubclass(found, torch.optim.lr_scheduler.LRScheduler):
            yield "schedule", found


def _tell(owner: type, name: str, told: Callable[[], None]) -> None:
    _hand_over(owner, name, lambda _: told())


def _hand_over(owner: type, name: str, told: Callable[[Any], None]) -> None:
    """Whenever a method of its own is over."""
    if name not in vars(owner):
        return
    original = getattr(owner, name)

    @functools.wraps(original)
    def method(*arguments: Any, **keywords: Any) -> Any:
        found = original(*arguments, **keywords)
        told(arguments[0])
        return found

    setattr(owner, name, method)
