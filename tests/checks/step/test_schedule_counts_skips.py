from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.schedule_counts_skips import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import ScaleTrack

BASE = ScaleTrack(rank=1, step=999, steps=1000, skipped=0.1, scale=4.0, scheduled=100)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "100 of 1000 steps were skipped by the loss scaler, and the learning rate changed at each of them"
    )
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"scheduled": 31, "steps": 100}, 0), ({"scheduled": 32, "steps": 100}, 1)],
)
def test_each_side_of_steps(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"scheduled": 40, "steps": 2000}, 0), ({"scheduled": 41, "steps": 2000}, 1)],
)
def test_each_side_of_share(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
