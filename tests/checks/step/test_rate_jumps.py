from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.rate_jumps import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import RateTrack

BASE = RateTrack(rank=1, step=200, now=0.1, highest=0.1, jump=400.0, jumped_at=150, zero=0, steps=200)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == ("at step 150 the learning rate rose to 400 times its previous maximum")
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"jump": 99.9}, 0), ({"jump": 100.0}, 1)],
)
def test_each_side_of_times(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"jumped_at": 19}, 0), ({"jumped_at": 20}, 1)],
)
def test_each_side_of_after(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


def test_a_rate_that_is_no_number_is_told() -> None:
    (evidence,) = found(now=float("nan"), jump=1.0)

    assert evidence.saw == "the learning rate is NaN"
