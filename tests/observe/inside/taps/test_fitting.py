"""Rows are followed from what a transformer was fitted on to what a model is evaluated on."""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sklearn.base
import torch
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectFromModel, SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler, TargetEncoder
from torch import nn

from firstlight.observe.inside import aside
from firstlight.observe.inside.taps import fitting
from firstlight.observe.inside.taps.models import Call
from firstlight.records.program import FitSeen

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(300, 12))
ANSWERS = (ROWS[:, 0] + ROWS[:, 1] > 0).astype(int)
TRAIN, TEST = slice(0, 200), slice(200, 300)


class Followed(fitting.Fitting):
    """As it would be in a program, of transformers that are handed to it and not found by themselves."""

    def __init__(self) -> None:
        self.model = nn.Linear(1, 1)
        self.told: list[FitSeen] = []
        root = SimpleNamespace(index=0, ref=lambda: self.model, backwards=1)
        observer: Any = SimpleNamespace(light=False, step=9, emit=self.told.append)
        models: Any = SimpleNamespace(roots={id(self.model): root})
        super().__init__(observer, models)

    def fit(self, transformer: Any, given: Any, answers: Any = None) -> Any:
        transformer.fit(given, answers)
        self.fitted(transformer, given, answers)
        return transformer

    def transform(self, transformer: Any, given: Any) -> Any:
        made = transformer.transform(given)
        self.transformed(transformer, given, made)
        return made

    def run(self, train: np.ndarray[Any, Any], test: np.ndarray[Any, Any]) -> list[FitSeen]:
        table = torch.tensor(train, dtype=torch.float32)
        for _ in range(12):
            for batch in table[torch.randperm(len(table))].split(20):
                self._call(batch, training=True)
        self._call(torch.tensor(test, dtype=torch.float32), training=False)
        self.tell()
        return self.told

    def _call(self, given: torch.Tensor, training: bool) -> None:
        self.returned(Call(self.model, (given,), {}, [given], torch.zeros(len(given)), training))


@pytest.fixture(autouse=True)
def _asked_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """No copy of the process is made in tests."""
    monkeypatch.setattr(aside, "asked", lambda _observer, question: question())


def prepared(by: Followed, transformer: Any, rows: slice, answers: bool = True) -> np.ndarray[Any, Any]:
    by.fit(transformer, ROWS[rows], ANSWERS[rows] if answers else None)
    made: np.ndarray[Any, Any] = by.transform(transformer, ROWS)
    return made


def test_a_selection_by_the_answers_of_all_is_known_in_what_is_evaluated() -> None:
    by = Followed()
    table = prepared(by, SelectKBest(f_classif, k=5), slice(None))
    (fit,) = by.run(table[TRAIN], table[TEST])

    assert (fit.name, fit.answers, fit.fitted, fit.inside, fit.outside) == ("SelectKBest", True, 300, 100, 0)


def test_one_by_the_answers_of_training_rows_is_not() -> None:
    by = Followed()
    table = prepared(by, SelectKBest(f_classif, k=5), TRAIN)
    (fit,) = by.run(table[TRAIN], table[TEST])

    assert (fit.fitted, fit.inside, fit.outside) == (200, 0, 100)


def test_rows_are_followed_through_a_later_transformer_and_beside_other_columns() -> None:
    by = Followed()
    table = prepared(by, SelectKBest(f_classif, k=5), slice(None))
    scaler = by.fit(StandardScaler(), table[TRAIN])
    more = RNG.normal(size=(300, 3))
    train, test = (np.hstack([more[part], by.transform(scaler, table[part])]) for part in (TRAIN, TEST))
    select, scale = by.run(train, test)

    assert (select.name, select.inside, select.outside) == ("SelectKBest", 100, 0)
    assert (scale.name, scale.inside, scale.outside) == ("StandardScaler", 0, 100)


@pytest.mark.parametrize(("known", "inside"), [(slice(None), 100), (TRAIN, 0)])
def test_categories_encoded_by_answers_are_words_before(known: slice, inside: int) -> None:
    towns = RNG.choice(["Aarhus", "Bergen", "Cork"], size=(300, 2)).astype(object)
    by = Followed()
    encoder = by.fit(TargetEncoder(random_state=0), towns[known], ANSWERS[known])
    train, test = (np.hstack([by.transform(encoder, towns[part]), ROWS[part]]) for part in (TRAIN, TEST))
    (fit,) = by.run(train, test)

    assert (fit.answers, fit.inside) == (True, inside)


def test_folds_that_are_each_fitted_by_themselves_are_fine() -> None:
    for train, test in KFold(3).split(ROWS):
        by = Followed()
        select = by.fit(SelectKBest(f_classif, k=5), ROWS[train], ANSWERS[train])
        by.run(by.transform(select, ROWS[train]), by.transform(select, ROWS[test]))

        assert [fit.inside for fit in by.told] == [0]


def test_one_row_that_was_held_back_from_a_later_fit_is_not_told_by_an_earlier_one() -> None:
    """Selections of several folds are often the same columns."""
    by = Followed()
    for train, test in KFold(3).split(ROWS):
        select = by.fit(SelectKBest(f_classif, k=12), ROWS[train], ANSWERS[train])
        made = by.transform(select, ROWS[train]), by.transform(select, ROWS[test])
    last = by.run(*made)[-1]

    assert (last.inside, last.outside) == (0, 100)


def test_what_is_trained_on_may_be_evaluated_too() -> None:
    by = Followed()
    table = prepared(by, SelectKBest(f_classif, k=5), TRAIN)

    assert by.run(table[TRAIN], table[TRAIN]) == []


def test_nothing_is_told_before_all_was_trained_on() -> None:
    by = Followed()
    table = prepared(by, SelectKBest(f_classif, k=5), slice(None))
    by._call(torch.tensor(table[:20], dtype=torch.float32), training=True)
    by._call(torch.tensor(table[TEST], dtype=torch.float32), training=False)
    by.tell()

    assert by.told == []


@pytest.mark.parametrize(
    ("transformer", "answers"),
    [
        (StandardScaler(), False),
        (PCA(4), False),
        (SelectKBest(f_classif, k=3), True),
        (SelectFromModel(LogisticRegression()), True),
        (ColumnTransformer([("some", SelectKBest(f_classif, k=2), [0, 1, 2, 3])]), True),
    ],
    ids=lambda one: type(one).__name__,
)
def test_whether_answers_are_looked_at_is_tried_out(transformer: Any, answers: bool) -> None:
    by = Followed()
    by.fit(transformer, ROWS, ANSWERS)

    assert by.fits[-1].answers is answers


@pytest.fixture
def follow() -> Iterator[Callable[[Followed], None]]:
    mixin: Any = sklearn.base.TransformerMixin.__mro__[1]
    original = mixin.__dict__["__init_subclass__"]
    observer: Any = SimpleNamespace(shielded=lambda _tap, function: function)
    yield lambda by: fitting._follow(observer, by, sklearn.base)
    mixin.__init_subclass__ = original


def test_transformers_of_the_users_own_are_followed_too(follow: Callable[[Followed], None]) -> None:
    by = Followed()
    follow(by)

    class Centred(sklearn.base.TransformerMixin, sklearn.base.BaseEstimator):
        def fit(self, X: Any, y: Any = None) -> "Centred":  # noqa: N803 (as scikit-learn calls it)
            self.mean_ = X.mean(0) if y is None else X[y == 1].mean(0)
            return self

        def transform(self, X: Any) -> Any:  # noqa: N803 (as above)
            return X - self.mean_

    table = Centred().fit_transform(ROWS, ANSWERS)
    (fit,) = by.run(table[TRAIN], table[TEST])

    assert (fit.name, fit.answers, fit.inside) == ("Centred", True, 100)
