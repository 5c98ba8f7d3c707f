from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.loss_bounces import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import LossTrack

BASE = LossTrack(
    rank=1,
    step=999,
    steps=1000,
    start=2.0,
    best=1.9,
    level=2.0,
    noise=1.0,
    trend=(2.0,) * 16,
    rising=0.5,
    flips=0.99,
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

    assert evidence.saw == ("99% of the last 128 steps reverse the one before; the loss is at 2 and started at 2")
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    "changes",
    [{"rivals": 2}, {"positive": False}],
    ids=["several optimizers", "may be negative"],
)
def test_it_is_left_alone(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"steps": 127}, 0), ({"steps": 128}, 1)],
)
def test_each_side_of_steps(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"flips": 0.84}, 0), ({"flips": 0.86}, 1)],
)
def test_each_side_of_turns(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"noise": 0.19}, 0), ({"noise": 0.21}, 1)],
)
def test_each_side_of_swing(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"best": 1.39}, 0), ({"best": 1.41}, 1)],
)
def test_each_side_of_left(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
