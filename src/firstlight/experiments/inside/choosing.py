"""By which numbers libraries choose for a program: callbacks of Lightning, and the Hugging Face Trainer.

What the library is to go by is written where the callback or the arguments are made, and that line is told. What the
number was is seen whenever the library asks whether it is the best so far.
"""

import functools
import operator
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from firstlight.experiments.inside.shortening.comparisons import Comparison, Comparisons
from firstlight.observe.inside import sites
from firstlight.observe.inside.imports import when_imported
from firstlight.observe.inside.observer import Observer
from firstlight.records.places import Site

LIGHTNING = ("lightning.pytorch", "pytorch_lightning")
ASKED = {
    ("model_checkpoint", "ModelCheckpoint"): "check_monitor_top_k",
    ("early_stopping", "EarlyStopping"): "_evaluate_stopping_criteria",
}
"""The callbacks that go by a number, and the method that is given it last."""


class Choosing:
    """Everything that libraries choose by in one process."""

    def __init__(self, observer: Observer, compared: Comparisons) -> None:
        self._compared = compared
        self._found: dict[int, tuple[Site | None, Comparison]] = {}
        self._arguments: dict[int, Site | None] = {}
        """Where arguments for a Trainer were made, by their identity: they cannot be hashed."""
        self.told = observer.shielded("choosing", self._tell)
        self.asked = observer.shielded("choosing", self._ask)
        self.made = observer.shielded("choosing", self._make)
        self.evaluated = observer.shielded("choosing", self._evaluate)

    def __iter__(self) -> Iterator[tuple[Site | None, Comparison]]:
        return iter(self._found.values())

    def _tell(self, owner: Any, metric: str | None, larger: bool, site: Site | None) -> None:
        """It goes by this number from now on."""
        if metric is not None:
            holds = operator.gt if larger else operator.lt
            found = Comparison("", 0, metric, "best", holds, True, larger, when=True, noted=True)
            self._found[id(owner)] = (site, found)

    def _ask(self, owner: Any, given: tuple[Any, ...]) -> None:
        if id(owner) not in self._found or given[-1] is None:
            return
        _, one = self._found[id(owner)]
        number, before = float(given[-1]), one.best_met()
        self._compared.note(one, number, before, one.holds(number, before))

    def _make(self, arguments: Any) -> None:
        self._arguments[id(arguments)] = sites.caller()

    def _evaluate(self, arguments: Any, metrics: dict[str, Any]) -> None:
        """The Trainer looks at what an evaluation came to."""
        metric = arguments.metric_for_best_model
        if metric is None:
            return
        if id(arguments) not in self._found:
            self._tell(arguments, metric, bool(arguments.greater_is_better), self._arguments.get(id(arguments)))
        self._ask(arguments, (metrics.get(metric if metric.startswith("eval_") else f"eval_{metric}"),))


def follow(choosing: Choosing) -> None:
    for package in LIGHTNING:
        for (module, kind), method in ASKED.items():
            name = f"{package}.callbacks.{module}"
            when_imported(name, functools.partial(_follow_callback, choosing, kind, method))
    when_imported("transformers.training_args", functools.partial(_follow_arguments, choosing))
    when_imported("transformers.trainer", functools.partial(_follow_trainer, choosing))


def _follow_callback(choosing: Choosing, kind: str, method: str, module: ModuleType) -> None:
    callback = getattr(module, kind)
    _around(
        callback,
        "__init__",
        after=lambda self, *_, **__: choosing.told(self, self.monitor, self.mode == "max", sites.caller()),
    )
    _around(callback, method, before=lambda self, *given, **named: choosing.asked(self, (*given, *named.values())))


def _follow_arguments(choosing: Choosing, module: Any) -> None:
    _around(module.TrainingArguments, "__post_init__", after=choosing.made)


def _follow_trainer(choosing: Choosing, module: Any) -> None:
    name = "_determine_best_metric"
    if hasattr(module.Trainer, name):  # older ones compare while they save
        _around(module.Trainer, name, before=lambda self, metrics, *_, **__: choosing.evaluated(self.args, metrics))


def _around(
    owner: Any, name: str, before: Callable[..., None] | None = None, after: Callable[..., None] | None = None
) -> None:
    original = getattr(owner, name)

    @functools.wraps(original)
    def method(self: Any, *arguments: Any, **options: Any) -> Any:
        if before is not None:
            before(self, *arguments, **options)
        found = original(self, *arguments, **options)
        if after is not None:
            after(self, *arguments, **options)
        return found

    setattr(owner, name, method)
