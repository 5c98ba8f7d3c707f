"""Metrics that libraries compute: scikit-learn's functions and the classes of torchmetrics, by name, as curves.

Which way one improves is known: a `…_score` grows, a `…_error` and a `…_loss` fall, and torchmetrics says so itself.
"""

import contextlib
import functools
import importlib
import sys
from types import ModuleType
from typing import Any

from firstlight.experiments.inside.measured import MeasuredLosses
from firstlight.experiments.inside.tracked import Numbers
from firstlight.observe.inside import sites
from firstlight.observe.inside.imports import when_imported

WAYS = {"_score": True, "_error": False, "_loss": False}


class Metrics:
    def __init__(self, measured: MeasuredLosses, numbers: Numbers) -> None:
        self.measured, self.numbers = measured, numbers

    def came_to(self, name: str, upwards: bool | None, value: Any) -> None:
        number = float(value)
        if not self.measured.observer.step:
            return
        self.numbers.one(name, number)
        if upwards is not None:
            self.measured.metric(upwards, number)


def follow(measured: MeasuredLosses, numbers: Numbers) -> None:
    metrics = Metrics(measured, numbers)
    when_imported("sklearn.metrics", lambda module: _follow_functions(module, metrics))
    when_imported("torchmetrics.metric", lambda module: _follow_classes(module, metrics))


def _follow_functions(module: ModuleType, metrics: Metrics) -> None:
    for name in module.__all__:
        ending = next((ending for ending in WAYS if name.endswith(ending)), None)
        if ending is not None:
            original = getattr(module, name)
            setattr(module, name, told := _MetricTold(original, metrics, name, WAYS[ending]))
            _rebind(original, told)


def _rebind(original: Any, told: Any) -> None:
    """Also where a file of the user's has it already: it was imported before torch."""
    for module in list(sys.modules.values()):
        if sites.is_users(str(getattr(module, "__file__", None) or "<")):
            for name, value in list(vars(module).items()):
                if value is original:
                    setattr(module, name, told)


class _MetricTold:
    """In place of a function. A worker process to which it is sent gets the function itself."""

    def __init__(self, function: Any, metrics: Metrics, name: str, upwards: bool) -> None:
        functools.update_wrapper(self, function)
        self._function, self._metrics, self._name, self._upwards = function, metrics, name, upwards

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        found = self._function(*arguments, **options)
        with contextlib.suppress(Exception):  # whatever it is given
            self._metrics.measured.meet(*arguments[:2])
        with contextlib.suppress(Exception):  # as above
            self._metrics.measured.counted(len(arguments[0]))
        with contextlib.suppress(Exception):  # several values, or whatever else it gives
            self._metrics.came_to(self._name, self._upwards, found)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return _original, (self._function.__module__, self._name)


def _original(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


def _follow_classes(module: ModuleType, metrics: Metrics) -> None:
    """Each object of such a class wraps its own `compute` when it is made; the class that wraps is asked after it."""
    original = module.Metric._wrap_compute

    @functools.wraps(original)
    def wrap(self: Any, compute: Any) -> Any:
        wrapped = original(self, compute)

        @functools.wraps(wrapped)
        def computed(*arguments: Any, **options: Any) -> Any:
            found = wrapped(*arguments, **options)
            with contextlib.suppress(Exception):  # as above
                metrics.came_to(type(self).__name__, getattr(self, "higher_is_better", None), found)
            return found

        return computed

    module.Metric._wrap_compute = wrap
