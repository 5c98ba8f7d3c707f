"""Numbers that a program gives to a tracker: TensorBoard, W&B, MLflow, Lightning's `self.log`."""

import contextlib
import functools
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from firstlight.observe.inside.imports import when_imported

MOST_NAMES = 24
MOST_VALUES = 32
Given = Callable[..., None]


class Numbers:
    """By name, in the order they came."""

    def __init__(self) -> None:
        self._found: dict[str, list[float]] = {}

    def one(self, name: Any, value: Any) -> None:
        try:
            number = float(value)
        except (TypeError, ValueError, RuntimeError):
            return  # a picture, a table, a tensor of many
        if name in self._found or len(self._found) < MOST_NAMES:
            self._found.setdefault(str(name), []).append(number)

    def many(self, values: Any) -> None:
        for name, value in values.items() if isinstance(values, Mapping) else ():
            self.one(name, value)

    def seen(self) -> dict[str, tuple[float, ...]]:
        return {name: tuple(values[-MOST_VALUES:]) for name, values in self._found.items()}


def follow(numbers: Numbers) -> None:
    one, many = numbers.one, numbers.many
    for name in ("torch.utils.tensorboard.writer", "tensorboardX.writer"):
        when_imported(name, lambda module: _hear(module.SummaryWriter, "add_scalar", _method(one, 2)))
    for name in ("lightning.pytorch.core.module", "pytorch_lightning.core.module"):
        when_imported(name, lambda module: _hear(module.LightningModule, "log", _method(one, 2)))
    when_imported("mlflow.tracking.fluent", lambda module: _hear_mlflow(module, one, many))
    when_imported("wandb.sdk.wandb_init", lambda module: _hear_wandb(module, many))


def _method(told: Given, count: int) -> Given:
    """Takes the first arguments after `self`; what is given by other names than usual is passed over."""

    def hear(_self: Any, *arguments: Any, **options: Any) -> None:
        given = (*arguments, *(options[key] for key in ("tag", "name", "scalar_value", "value") if key in options))
        if len(given) >= count:
            told(*given[:count])

    return hear


def _hear(owner: Any, name: str, told: Given) -> None:
    original = getattr(owner, name)

    @functools.wraps(original)
    def heard(*arguments: Any, **options: Any) -> Any:
        with contextlib.suppress(Exception):  # the program must go on, whatever we got wrong
            told(*arguments, **options)
        return original(*arguments, **options)

    setattr(owner, name, heard)


def _hear_mlflow(module: ModuleType, one: Given, many: Given) -> None:
    _hear(module, "log_metric", lambda key, value, *_, **__: one(key, value))
    _hear(module, "log_metrics", lambda metrics, *_, **__: many(metrics))


def _hear_wandb(module: ModuleType, many: Given) -> None:
    """A run that is switched off has a `log` of its own, and so has the package once a run began."""
    original = module.init

    @functools.wraps(original)
    def init(*arguments: Any, **options: Any) -> Any:
        run = original(*arguments, **options)
        with contextlib.suppress(Exception):  # as above
            _hear(run, "log", lambda data, *_, **__: many(data))
            sys.modules["wandb"].__dict__["log"] = run.log
        return run

    module.init = init  # type: ignore[attr-defined]  # of wandb
