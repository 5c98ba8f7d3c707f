from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.numerics.gradients_blow_up import CHECK
from firstlight.records.finding import Evidence, Severity
from firstlight.records.live import GradientTrack

BASE = GradientTrack(rank=1, step=999, steps=1000, start=1.0, usual=2.0, level=500.0, piled=0, warming=False)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == "the gradient norm is now 500; it is usually 2, and was 1 at the start"
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    "changes",
    [{"usual": 0.0}],
    ids=["nothing usual"],
)
def test_it_is_left_alone(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"level": 199.0}, 0), ({"level": 201.0}, 1)],
)
def test_each_side_of_times(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"start": 51.0}, 0), ({"start": 49.0}, 1)],
)
def test_each_side_of_start(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(("level", "severity"), [(1999.0, None), (2001.0, Severity.ERROR)])
def test_each_side_of_severe(level: float, severity: Severity | None) -> None:
    (evidence,) = found(level=level)

    assert evidence.severity is severity
