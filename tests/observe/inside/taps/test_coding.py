"""Codes that a program gives out are followed to what its model is trained on and evaluated on."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.preprocessing import LabelEncoder, OrdinalEncoder
from torch import nn

from firstlight.observe.inside.observer import Moments
from firstlight.observe.inside.taps import coding
from firstlight.observe.inside.taps.models import Call
from firstlight.records.program import CodesSeen

TRAIN = pd.Series(np.random.default_rng(0).choice(list("abcdef"), 200))
TEST = pd.Series(np.random.default_rng(1).choice(list("acdef"), 80))
MODEL = nn.Linear(1, 1)


def one_by_one(give: Callable[[pd.Series], Any]) -> tuple[Any, Any]:
    return give(TRAIN), give(TEST)


def told(train: Any, test: Any, given: list[Any]) -> list[CodesSeen]:
    """Of a model that is fed with these; `given` are the calls as the tap is told of them."""
    found: list[CodesSeen] = []
    observer: Any = SimpleNamespace(
        timeline=None, light=False, step=9, batch_rows=(), emit=found.append, moments=Moments()
    )
    tap = coding.CodingTap(observer)
    for how, names, codes in given:
        tap.codings.add(how, None, names, codes)
    for codes, training in ((train, True), (test, False)):
        dataset = torch.utils.data.TensorDataset(torch.tensor(np.asarray(codes)))
        loader = torch.utils.data.DataLoader(dataset)
        tap.batch_given(loader, None)
        MODEL.train(training)
        tensors = list(dataset.tensors)
        tap.returned(Call(MODEL, tuple(tensors), {}, tensors, None, training))
    tap.tell()
    return found


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the libraries were asked for, once they are followed."""
    found: list[Any] = []

    def tell(how: str, _site: Any, names: Any, codes: Any) -> None:
        found.append((how, names, codes))

    arrays: Any = pd.core.arrays.categorical
    base: Any = pd.core.base.IndexOpsMixin
    kept = [(getattr(arrays, name), "codes") for name in coding.CATEGORIES]
    kept += [(base, "factorize"), (pd, "factorize"), (pd.Series, "map"), (np, "unique")]
    kept += [(kind, name) for kind in (LabelEncoder, OrdinalEncoder) for name in ("fit_transform", "transform")]
    for holder, name in kept:
        monkeypatch.setattr(holder, name, getattr(holder, name))
    coding._follow_pandas(tell, pd)
    coding._follow_numpy(tell, np)
    coding._follow_encoders(tell, __import__("sklearn.preprocessing", fromlist=["x"]))
    return found


WAYS: dict[str, Callable[[pd.Series], Any]] = {
    "cat.codes": lambda part: part.astype("category").cat.codes,
    "Categorical": lambda part: pd.Categorical(part).codes,
    "factorize": lambda part: part.factorize()[0],
    "pd.factorize": lambda part: pd.factorize(part)[0],
    "map": lambda part: part.map({name: place for place, name in enumerate(part.unique())}),
    "unique": lambda part: np.unique(part.to_numpy().astype(str), return_inverse=True)[1],
    "index, too": lambda part: np.unique(part.to_numpy().astype(str), True, True)[2],
    "LabelEncoder": lambda part: LabelEncoder().fit_transform(y=part),
    "OrdinalEncoder": lambda part: OrdinalEncoder().fit_transform(part.to_frame())[:, 0],
}


@pytest.mark.parametrize("way", WAYS)
def test_each_way_to_give_codes_is_followed(way: str, calls: list[Any]) -> None:
    train, test = one_by_one(WAYS[way])

    (seen,) = told(train, test, calls)

    assert (seen.given, seen.column, seen.rows) == ("input 0", 0, 80)
    assert seen.moved >= 40
    assert seen.kinds == 5


def test_one_encoder_for_both_is_fine(calls: list[Any]) -> None:
    encoder = LabelEncoder().fit(TRAIN)
    train, test = one_by_one(encoder.transform)

    assert len(calls) == 2
    assert told(train, test, calls) == []


def test_codes_that_never_reach_the_model_are_fine(calls: list[Any]) -> None:
    one_by_one(WAYS["factorize"])
    others = np.random.default_rng(2).integers(0, 6, 200), np.random.default_rng(3).integers(0, 6, 80)

    assert len(calls) == 2
    assert told(*others, calls) == []


def test_an_evaluation_of_the_training_set_is_fine(calls: list[Any]) -> None:
    train, _ = one_by_one(WAYS["cat.codes"])

    assert told(train, train, calls) == []
