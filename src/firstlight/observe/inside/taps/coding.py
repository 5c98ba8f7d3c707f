"""Codes of categories, as pandas, NumPy and scikit-learn give them out, and where the model is fed with them."""

import functools
import sys
import weakref
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.coding import TABLE, CodesKept, CodesMoved, Coding, Codings, moved, table_of, taken_from
from firstlight.observe.inside.feed import named
from firstlight.observe.inside.imports import when_imported
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.relations.kept_rows import within
from firstlight.observe.inside.relations.standing import variables
from firstlight.observe.inside.taps.models import Call
from firstlight.records.program import CodesSeen

MOST_LOOKS = 12
"""Calls of a model whose inputs are followed back, in training and in evaluation."""
CATEGORIES = ("Categorical", "CategoricalAccessor")

Place = tuple[str, int]
"""Name of an input, and a column of it."""


class CodingTap:
    """Looks at a model's inputs only where codings of the same categories disagree."""

    def __init__(self, observer: Observer) -> None:
        self.observer, self.codings = observer, Codings()
        self._fed: dict[bool, dict[Place, dict[int, Coding]]] = {True: {}, False: {}}
        self._looks = {True: 0, False: 0}
        self._loader: weakref.ref[Any] | None = None

    def batch_given(self, loader: Any, _batch: Any) -> None:
        self._loader = weakref.ref(loader) if loader is not None else None

    def returned(self, call: Call) -> None:
        training = call.training and call.module.training
        if not self.codings.disagree or self.observer.timeline is not None or reading.transformed():
            return
        if self._looks[training] >= MOST_LOOKS or self.observer.light:
            return
        self._looks[training] += 1
        sources = list(self._sources())
        for name, given in named(call.arguments, call.keywords).items():
            if 0 < given.ndim <= TABLE and reading.readable(given) and sources:
                for column, coding in taken_from(given, sources, self.observer.batch_rows):
                    self._fed[training].setdefault((name, column), {})[coding.number] = coding

    def _sources(self) -> Iterator[CodesKept]:
        seen: set[int] = set()
        loader = self._loader() if self._loader is not None else None
        dataset: Any = getattr(loader, "dataset", None)
        kept = within(dataset, len(dataset)) if hasattr(dataset, "__len__") else ()
        for value in (*kept, *variables(sys._getframe(1))):
            columns = self.codings.columns_of(value) if id(value) not in seen else []
            seen.add(id(value))
            table = table_of(value) if columns else None
            if table is not None:
                yield CodesKept(table, columns)

    def tell(self) -> None:
        trained, evaluated = self._fed[True], self._fed[False]
        for place in trained.keys() & evaluated.keys():
            for number, coding in evaluated[place].items():
                others = [(moved(one, coding), one) for one in trained[place].values() if one.number != number]
                least = min(others, key=lambda pair: pair[0].rows, default=None)
                if number not in trained[place] and least is not None and least[0].rows:
                    self._tell(place, coding, *least)

    def _tell(self, place: Place, coding: Coding, apart: CodesMoved, other: Coding) -> None:
        self.observer.emit(
            CodesSeen(
                step=self.observer.step,
                given=place[0],
                column=place[1],
                how=coding.how,
                site=coding.site,
                trained_site=other.site,
                rows=len(coding.codes),
                moved=apart.rows,
                kinds=apart.kinds,
                example=apart.example,
                here=apart.here,
                there=apart.there,
            )
        )


Told = Callable[..., None]


def install(observer: Observer) -> None:
    tap = CodingTap(observer)
    told = observer.shielded("coding", tap.codings.add)
    when_imported("pandas", functools.partial(_follow_pandas, told))
    when_imported("numpy", functools.partial(_follow_numpy, told))
    when_imported("sklearn.preprocessing", functools.partial(_follow_encoders, told))
    observer.moments.batch_given.append(observer.shielded("coding", tap.batch_given))
    observer.moments.model_returned.append(observer.shielded("coding", tap.returned))
    observer.moments.milestone.append(observer.shielded("coding", tap.tell))


def _asked_by_user() -> bool:
    """Of the function that calls ours: the libraries ask themselves for codes all the time."""
    return sites.is_users(sys._getframe(2).f_code.co_filename)


def _follow_pandas(told: Told, pandas: ModuleType) -> None:
    arrays: Any = sys.modules["pandas.core.arrays.categorical"]
    for kind in (getattr(arrays, name) for name in CATEGORIES):
        kind.codes = property(_codes(kind.codes.fget, told), doc=kind.codes.__doc__)
    base: Any = sys.modules["pandas.core.base"].IndexOpsMixin
    library: Any = pandas
    for holder in (base, library):
        holder.factorize = _factorized(holder.factorize, told)
    library.Series.map = _mapped(library.Series.map, told)


def _codes(original: Any, told: Told) -> Any:
    @functools.wraps(original)
    def codes(self: Any) -> Any:
        made = original(self)
        if _asked_by_user():
            names = self.categories
            told("cat.codes", sites.caller(), names.tolist(), made)
        return made

    return codes


def _factorized(original: Any, told: Told) -> Any:
    @functools.wraps(original)
    def factorize(*arguments: Any, **keywords: Any) -> Any:
        made = original(*arguments, **keywords)
        if _asked_by_user():
            told("factorize", sites.caller(), list(made[1]), made[0])
        return made

    return factorize


def _mapped(original: Any, told: Told) -> Any:
    @functools.wraps(original)
    def look_up(self: Any, arg: Any = None, *arguments: Any, **keywords: Any) -> Any:
        made = original(self, arg, *arguments, **keywords)
        if _asked_by_user() and type(arg) is dict and all(type(code) is int for code in arg.values()):
            told("map", sites.caller(), dict(arg), made)
        return made

    return look_up


def _follow_numpy(told: Told, numpy: ModuleType) -> None:
    library: Any = numpy
    original = library.unique

    @functools.wraps(original)
    def unique(ar: Any, return_index: Any = False, return_inverse: Any = False, *more: Any, **keywords: Any) -> Any:
        made = original(ar, return_index, return_inverse, *more, **keywords)
        if return_inverse and _asked_by_user() and made[0].ndim == 1:
            told("unique", sites.caller(), made[0].tolist(), made[2 if return_index else 1])
        return made

    library.unique = unique


def _follow_encoders(told: Told, preprocessing: ModuleType) -> None:
    library: Any = preprocessing
    for kind, told_of in ((library.LabelEncoder, _of_labels), (library.OrdinalEncoder, _of_columns)):
        for name in ("fit_transform", "transform"):
            setattr(kind, name, _encoded(getattr(kind, name), told_of, told))


def _encoded(original: Any, told_of: Any, told: Told) -> Any:
    @functools.wraps(original)
    def encode(self: Any, *arguments: Any, **keywords: Any) -> Any:
        made = original(self, *arguments, **keywords)
        if _asked_by_user():
            for names, codes in told_of(self, made):
                told(type(self).__name__, sites.caller(), names.tolist(), codes)
        return made

    return encode


def _of_labels(encoder: Any, made: Any) -> Iterator[tuple[Any, Any]]:
    yield encoder.classes_, made


def _of_columns(encoder: Any, made: Any) -> Iterator[tuple[Any, Any]]:
    table = made.to_numpy() if hasattr(made, "to_numpy") else made
    if getattr(table, "ndim", 0) == TABLE:
        yield from zip(encoder.categories_, table.T, strict=False)
