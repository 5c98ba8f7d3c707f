from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.schedule_out_of_step import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.rehearsal import ScheduleAhead

ILL = ScheduleAhead(
    step=0,
    schedule="OneCycleLR",
    site=None,
    ticks=20,
    steps=940,
    certain=True,
    first=0.0008,
    highest=0.0022,
    last=0.0022,
    peak=0.08,
    peak_after=235,
    length=940,
    outer=(),
    swings=0,
)
WELL = replace(ILL, ticks=940, highest=0.08, last=0.0)
FALLS = replace(WELL, ticks=2000, steps=2000, length=99, peak_after=0, last=0.0079)
SWINGS = replace(WELL, ticks=1000, steps=1000, length=20, outer=(20,), last=0.04, swings=24)


def found(ahead: ScheduleAhead, **changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ahead, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found(ILL)[0]

    assert "in the 20 steps that the whole run gives `OneCycleLR`, the rate never exceeds 0.0022" in evidence.saw
    assert "its peak of 0.08 comes after 235 steps" in evidence.saw
    assert "a rate of 0.08" in evidence.wanted


def test_a_plan_as_long_as_the_run_is_fine() -> None:
    assert found(WELL) == []


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"highest": 0.0239, "length": None}, 1),
        ({"highest": 0.0241, "length": None}, 0),
        ({"highest": 0.0022, "certain": False, "length": None}, 1),
        ({"peak": None, "length": None}, 0),
    ],
)
def test_a_peak_that_is_never_reached(changes: dict[str, Any], times: int) -> None:
    assert len(found(ILL, **changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"ticks": 187}, 1),
        ({"ticks": 189}, 0),
        ({"length": 800}, 1),
        ({"length": 798}, 0),
        ({"length": 1081}, 1),
        ({"length": 1082}, 0),
        ({"length": None}, 0),
        ({"steps": None}, 0),
    ],
)
def test_a_descent_in_steps_that_is_made_in_epochs(changes: dict[str, Any], times: int) -> None:
    """Its rate hardly leaves the peak it begins with."""
    assert len(found(replace(WELL, ticks=20, last=0.079), **changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({}, 1),
        ({"length": 100}, 0),
        ({"last": 0.0081}, 0),
        ({"certain": False}, 0),
        ({"swings": 1}, 0),
        ({"length": None}, 0),
    ],
)
def test_a_plan_that_is_over_at_the_beginning(changes: dict[str, Any], times: int) -> None:
    assert len(found(FALLS, **changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({}, 1),
        ({"swings": 3}, 1),
        ({"swings": 2}, 0),
        ({"length": 17}, 1),
        ({"length": 16}, 0),
        ({"outer": ()}, 0),
        ({"certain": False}, 0),
    ],
)
def test_a_plan_in_epochs_that_swings_at_every_batch(changes: dict[str, Any], times: int) -> None:
    assert len(found(SWINGS, **changes)) == times
