from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.rate_stays_zero import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import RateTrack

BASE = RateTrack(rank=1, step=200, now=0.1, highest=0.1, jump=1.0, jumped_at=150, zero=80, steps=200)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == ("the last 80 steps had a learning rate of 0; it had been 0.1")
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"zero": 49}, 0), ({"zero": 50}, 1)],
)
def test_each_side_of_steps(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
