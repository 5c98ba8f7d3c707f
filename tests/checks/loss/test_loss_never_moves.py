from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.loss_never_moves import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import LossTrack

BASE = LossTrack(
    rank=1,
    step=999,
    steps=1000,
    start=2.0,
    best=2.0,
    level=2.0,
    noise=0.05,
    trend=(2.0,) * 16,
    rising=0.5,
    flips=0.66,
    same=1000,
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

    assert evidence.saw == ("all 1000 losses so far are exactly 2")
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    "changes",
    [{"same": 900}, {"fed": False}],
    ids=["it moved before", "no loader"],
)
def test_it_is_left_alone(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"same": 23, "steps": 23}, 0), ({"same": 24, "steps": 24}, 1)],
)
def test_each_side_of_steps(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
