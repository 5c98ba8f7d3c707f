from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.clip_always_engages import CHECK
from firstlight.records.finding import Evidence, Severity
from firstlight.records.live import ClipTrack

BASE = ClipTrack(
    rank=1,
    step=999,
    steps=1000,
    engaged=1.0,
    coefficient=0.001,
    usual=1200.0,
    limit=1.0,
    adaptive=False,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "100% of the steps are clipped, to 0.001 of their gradient: the limit is 1, and nine norms in ten lie "
        "below 1.2e+03"
    )
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"steps": 255}, 0), ({"steps": 256}, 1)],
)
def test_each_side_of_steps(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"engaged": 0.94}, 0), ({"engaged": 0.95}, 1)],
)
def test_each_side_of_engaged(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"coefficient": 0.021}, 0), ({"coefficient": 0.019}, 1)],
)
def test_each_side_of_coefficient(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


def test_adaptive_optimizers_hardly_notice() -> None:
    (evidence,) = found(adaptive=True)

    assert evidence.severity is Severity.NOTE
