from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.nothing_learnt import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import LossTrack

BASE = LossTrack(
    rank=1,
    step=999,
    steps=1000,
    start=2.0,
    best=1.98,
    level=1.99,
    noise=0.05,
    trend=(2.0,) * 16,
    rising=0.5,
    flips=0.66,
    same=1,
    spikes=0,
    since_best=10,
    positive=True,
    rivals=1,
    fed=True,
    warming=False,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == ("after 1000 steps the loss is 1.99; it started at 2")
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    "changes",
    [{"fed": False}, {"rivals": 2}, {"positive": False}, {"warming": True}],
    ids=["no loader", "several optimizers", "may be negative", "the rate still rises"],
)
def test_it_is_left_alone(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"steps": 399}, 0), ({"steps": 400}, 1)],
)
def test_each_side_of_steps(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"level": 1.95}, 0), ({"level": 1.97}, 1), ({"best": 1.9}, 0), ({"best": 1.92}, 1)],
)
def test_each_side_of_share(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
