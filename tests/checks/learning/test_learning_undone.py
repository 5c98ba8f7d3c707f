from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.learning_undone import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import LossTrack

BASE = LossTrack(
    rank=1,
    step=999,
    steps=1000,
    start=2.0,
    best=0.3,
    level=2.2,
    noise=0.05,
    trend=(0.4,) * 8 + (2.2,) * 8,
    rising=0.5,
    flips=0.66,
    same=1,
    spikes=0,
    since_best=100,
    positive=True,
    rivals=1,
    fed=True,
    warming=False,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == ("the loss started at 2, had fallen to 0.3, and is back at 2.2")
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    "changes",
    [{"fed": False}, {"rivals": 2}, {"positive": False}],
    ids=["no loader", "several optimizers", "may be negative"],
)
def test_it_is_left_alone(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"best": 1.01}, 0), ({"best": 0.99}, 1)],
)
def test_each_side_of_learnt(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"level": 1.59}, 0), ({"level": 1.61}, 1)],
)
def test_each_side_of_lost(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"since_best": 31}, 0),
        ({"since_best": 32}, 1),
        ({"trend": (2.2,) * 12 + (0.4,) + (2.2,) * 3}, 0),
        ({"trend": (2.2,) * 11 + (0.4,) + (2.2,) * 4}, 1),
    ],
)
def test_each_side_of_stretch(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
