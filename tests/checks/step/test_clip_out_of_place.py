from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.clip_out_of_place import CHECK
from firstlight.records.facts import ClipOrder
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

LATE = ClipOrder(
    rank=1,
    site=Site(file="train.py", line=35),
    times=30,
    first_step=1,
    late=30,
    scaled=0,
    max_norm=1.0,
    median_norm=2.5,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(LATE, **changes), CHECK.limits))


def test_counts_the_late_clippings() -> None:
    (evidence,) = found()

    assert evidence.saw == "30 of 30 clippings came after the step, with no backward since"
    assert evidence.wanted == "clipping between backward and step"
    assert (evidence.where.file, evidence.where.line) == ("train.py", 35)
    assert (evidence.where.step, evidence.where.rank) == (1, 1)
    assert evidence.numbers == {"late": 30, "times": 30, "max_norm": 1.0}


def test_clipping_in_time_is_fine() -> None:
    assert found(late=0) == []


def test_an_infinite_limit_only_measures() -> None:
    assert found(max_norm=float("inf")) == []


@pytest.mark.parametrize(("late", "times"), [(2, 0), (3, 1), (4, 1)])
def test_each_side_of_times(late: int, times: int) -> None:
    assert len(found(late=late, times=late)) == times


@pytest.mark.parametrize(("late", "times"), [(14, 0), (15, 1), (16, 1)])
def test_each_side_of_share(late: int, times: int) -> None:
    assert len(found(late=late, times=30)) == times
