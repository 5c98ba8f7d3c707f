from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.numerics.loss_scale_collapses import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import ScaleTrack

BASE = ScaleTrack(rank=1, step=999, steps=1000, skipped=0.2, scale=0.5)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == "20.0% of the last steps were skipped; the scale is 0.5"
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    "changes",
    [{"skipped": 0.0, "scale": None}],
    ids=["scale unknown"],
)
def test_it_is_left_alone(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"steps": 199}, 0), ({"steps": 200}, 1)],
)
def test_each_side_of_steps(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"skipped": 0.049, "scale": 8.0}, 0), ({"skipped": 0.051, "scale": 8.0}, 1)],
)
def test_each_side_of_skipped(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"skipped": 0.0, "scale": 1.0}, 0), ({"skipped": 0.0, "scale": 0.9}, 1)],
)
def test_each_side_of_scale(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
