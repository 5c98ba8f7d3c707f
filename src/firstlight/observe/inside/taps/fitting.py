"""What scikit-learn's transformers were fitted on, and whether those rows are evaluated later.

Rows are followed by value through what transformers return, through splits, and beside other columns, up to the table
that a model is given.
"""

import functools
import sys
from collections import Counter
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, cast

import torch

from firstlight.observe.inside import aside, reading, rows, sites
from firstlight.observe.inside.feed import named
from firstlight.observe.inside.identity import ByIdentity
from firstlight.observe.inside.imports import when_imported
from firstlight.observe.inside.met import Met
from firstlight.observe.inside.row_origins import RowOrigins, table_of
from firstlight.observe.inside.taps.models import Call, Models
from firstlight.records.places import Site
from firstlight.records.program import FitSeen

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer

MOST_FITS = 32
MOST_ASKED = 8
"""Kinds of transformers that are asked whether they look at answers."""
MOST_SAMPLED = 512
MOST_LOOKED = 64
"""Calls of a model without gradients whose inputs are followed back."""
LEAST_WIDTH = 2
METHODS = ("fit", "fit_transform", "transform")


class Fit:
    """One fit of one transformer."""

    def __init__(self, number: int, name: str, site: Site | None, keys: list[int], answers: bool) -> None:
        self.number, self.name, self.site, self.answers = number, name, site, answers
        self.keys = Counter(keys)
        self.gone: Counter[int] = Counter()
        """Rows that it transformed."""
        self.inside: set[int] = set()
        """Evaluated, and among those it was fitted on; below, evaluated and not among them."""
        self.outside: set[int] = set()

    def transformed(self, keys: list[int]) -> list[bool]:
        """Which of them it was fitted on.

        Rows that are alike, such as a few categories, are known by their number: where more of them come than it was
        fitted on, some are others.
        """
        self.gone.update(keys)
        return [key in self.keys and (self.keys[key] == 1 or self.gone[key] <= self.keys[key]) for key in keys]


class Fitting:
    def __init__(self, observer: "Observer", models: Models) -> None:
        self.observer, self.models = observer, models
        self.origins = RowOrigins()
        self.fits: list[Fit] = []
        self._of: ByIdentity[Fit] = ByIdentity()
        self._looks_at_answers: dict[str, bool] = {}
        self._asking = False
        self._trained: dict[int, set[int]] = {}
        self._met: dict[int, Met] = {}
        self._looked = 0

    def fitted(self, transformer: Any, given: Any, answers: Any) -> None:
        keys = None if self._asking or len(self.fits) >= MOST_FITS else _keys(given)
        if keys is None:
            return
        used = answers is not None and self._uses(transformer, given, answers)
        fit = Fit(len(self.fits), type(transformer).__name__, sites.caller(), keys, used)
        self.fits.append(fit)
        self._of[transformer] = fit

    def transformed(self, transformer: Any, given: Any, made: Any) -> None:
        fit = None if self._asking else self._of.get(transformer, None)
        keys, table = (_keys(given), table_of(made)) if fit is not None else (None, None)
        if fit is None or keys is None or table is None or len(table) != len(keys):
            return
        before = table_of(given)
        labels = self.origins.of(before) if before is not None else [{} for _ in keys]
        inside = fit.transformed(keys)
        self.origins.add(table, [{**label, fit.number: one} for label, one in zip(labels, inside, strict=True)])

    def _uses(self, transformer: Any, given: Any, answers: Any) -> bool:
        """Many take answers and ignore them; with others in their place, those that look at them give another table."""
        kind = repr(transformer)
        if kind not in self._looks_at_answers and len(self._looks_at_answers) < MOST_ASKED:
            self._asking = True
            try:
                question = functools.partial(_with_other_answers, transformer, given, answers)
                self._looks_at_answers[kind] = aside.asked(self.observer, question) == b"other"
            finally:
                self._asking = False
        return self._looks_at_answers.get(kind, False)

    def returned(self, call: Call) -> None:
        root = self.models.roots.get(id(call.module)) if self.origins.tables else None
        if root is None or root.ref() is not call.module or reading.transformed() or self.observer.light:
            return
        tables = [t for t in named(call.arguments, call.keywords).values() if _is_table(t)]
        if len(tables) != 1:
            return
        trained = self._trained.setdefault(root.index, set())
        if call.training:
            keys = rows.keys(tables)
            self._met.setdefault(root.index, Met()).train(keys, trained)
            trained.update(keys)
        elif root.backwards and self._looked < MOST_LOOKED:
            self._looked += 1
            self._evaluated(tables[0])

    def _evaluated(self, table: torch.Tensor) -> None:
        for key, label in zip(rows.keys([table]), self.origins.of(table_of(table)), strict=True):
            for number, inside in label.items():
                (self.fits[number].inside if inside else self.fits[number].outside).add(key)

    def tell(self) -> None:
        """Once all that is trained on was: what is evaluated besides is held back."""
        if not any(met.whole for met in self._met.values()):
            return
        trained = set().union(*self._trained.values())
        for fit in self.fits:
            if (fit.inside | fit.outside) - trained:
                self.observer.emit(
                    FitSeen(
                        step=self.observer.step,
                        number=fit.number,
                        name=fit.name,
                        site=fit.site,
                        answers=fit.answers,
                        fitted=len(fit.keys),
                        inside=len(fit.inside - trained),
                        outside=len(fit.outside - trained),
                    )
                )


def _is_table(tensor: torch.Tensor) -> bool:
    return tensor.ndim == 2 and tensor.is_floating_point() and bool(len(tensor)) and reading.readable(tensor)


def _keys(given: Any) -> list[int] | None:
    """One number for each row of a table, of whatever kind its values are."""
    table = table_of(given)
    if table is not None:
        return rows.keys([table])
    values = getattr(given, "to_numpy", lambda: given)()
    if getattr(values, "ndim", 0) != LEAST_WIDTH or not hasattr(values, "tolist"):
        return None
    return [hash(tuple(map(str, row))) for row in values.tolist()]


def _with_other_answers(transformer: Any, given: Any, answers: Any) -> bytes:
    """In a copy of the process: a few rows, fitted twice with their answers and once with those of others."""
    np, base, utils = (cast(Any, sys.modules[name]) for name in ("numpy", "sklearn.base", "sklearn.utils"))
    some = np.linspace(0, len(answers) - 1, min(len(answers), MOST_SAMPLED)).astype(int)
    here, own = utils._safe_indexing(given, some), utils._safe_indexing(answers, some)
    made = []
    for told in (own, own, utils._safe_indexing(own, np.random.default_rng(0).permutation(len(some)))):
        np.random.seed(0)
        made.append(np.asarray(base.clone(transformer).fit(here, told).transform(here), dtype=float))
    same = made[0].shape == made[1].shape and np.allclose(made[0], made[1])
    other = made[0].shape != made[2].shape or not np.allclose(made[0], made[2])
    return b"other" if same and other else b"alike"


def install(observer: "Observer", models: Models) -> None:
    fitting = Fitting(observer, models)
    when_imported("sklearn.base", functools.partial(_follow, observer, fitting))
    observer.moments.model_returned.append(observer.shielded("fitting", fitting.returned))
    observer.moments.milestone.append(observer.shielded("fitting", fitting.tell))


def _follow(observer: "Observer", fitting: Fitting, module: ModuleType) -> None:
    """Every class of transformers that is made from now on, scikit-learn's own among them."""
    mixin: Any = module.TransformerMixin.__mro__[1]
    original = mixin.__dict__["__init_subclass__"].__func__
    fitted, transformed = (observer.shielded("fitting", one) for one in (fitting.fitted, fitting.transformed))

    def begin(cls: Any, /, **keywords: Any) -> None:
        original(cls, **keywords)
        for name in METHODS:
            if isinstance(cls.__dict__.get(name), FunctionType):
                setattr(cls, name, _followed(cls.__dict__[name], name, fitted, transformed))

    mixin.__init_subclass__ = classmethod(begin)


def _followed(method: Any, name: str, fitted: Any, transformed: Any) -> Any:
    @functools.wraps(method)
    def follow(self: Any, *arguments: Any, **keywords: Any) -> Any:
        made = method(self, *arguments, **keywords)
        given, answers, *_ = *arguments, *(keywords[key] for key in ("X", "y") if key in keywords), None, None
        if name != "transform":
            fitted(self, given, answers)
        if name != "fit":
            transformed(self, given, made)
        return made

    return follow
