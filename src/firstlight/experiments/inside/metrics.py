"""Metrics that libraries compute: scikit-learn's functions and the classes of torchmetrics, by name, as curves.

Which way one improves is known: a `…_score` grows, a `…_error` and a `…_loss` fall, and torchmetrics says so itself.
"""

import contextlib
import functools
from types import ModuleType
from typing import Any

from firstlight.experiments.inside.measured import MeasuredLosses
from firstlight.experiments.inside.tracked import Numbers
from firstlight.observe.inside import metric_calls
from firstlight.observe.inside.imports import when_imported

GROWING = "_score"


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

    def called(self, name: str, arguments: tuple[Any, ...], found: Any) -> None:
        with contextlib.suppress(Exception):  # whatever it is given
            self.measured.meet(name, *arguments[:2])
        with contextlib.suppress(Exception):  # as above
            self.measured.counted(len(arguments[0]))
        with contextlib.suppress(Exception):  # several values, or whatever else it gives
            self.came_to(name, name.endswith(GROWING), found)


def follow(measured: MeasuredLosses, numbers: Numbers) -> None:
    metrics = Metrics(measured, numbers)
    when_imported("sklearn.metrics", lambda module: metric_calls.follow(module, metrics.called))
    when_imported("torchmetrics.metric", lambda module: _follow_classes(module, metrics))


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
