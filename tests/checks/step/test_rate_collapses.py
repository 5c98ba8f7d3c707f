import math
from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.rate_collapses import CHECK
from firstlight.records.facts import Rate
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

EPOCH = 40


def staircase(levels: list[float], steps: int = EPOCH, stay: int = EPOCH) -> tuple[float, ...]:
    """An epoch spent at each level in turn, evenly, and some more steps at the last one."""
    each = math.ceil(steps / len(levels))
    epoch = [level for level in levels for _ in range(each)][:steps]
    return (*epoch, *[levels[-1]] * stay)


def cosine(steps: int) -> tuple[float, ...]:
    return tuple(0.1 * 0.5 * (1 + math.cos(math.pi * step / steps)) for step in range(steps))


def linear(steps: int) -> tuple[float, ...]:
    return tuple(0.1 * (1 - step / steps) for step in range(steps))


COLLAPSING = Rate(
    rank=1,
    optimizer="SGD",
    site=Site(file="train.py", line=23),
    first_lr=0.1,
    lrs=staircase([0.1, 0.01, 0.001, 0.0001]),
    epoch_steps=EPOCH,
)

STUCK = replace(COLLAPSING, lrs=(1e-5,) * (EPOCH + 1))


def found(rate: Rate = COLLAPSING, **changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(rate, **changes), CHECK.limits))


def test_tells_how_far_and_how_fast_the_rate_falls() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "the learning rate falls from 0.1 to 0.0001 within one epoch of 40 steps, by a factor of 0.1 at a time"
    )
    assert evidence.wanted == "a schedule in epochs stepped once per epoch"
    assert evidence.do is not None
    assert "scheduler.step()" in evidence.do
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 23, 1)


def test_tells_where_a_warm_up_is_stuck() -> None:
    (evidence,) = found(STUCK)

    assert evidence.saw == (
        "for a whole epoch of 40 steps the learning rate stays at 1e-05, 0.0% of the 0.1 configured"
    )
    assert evidence.wanted == "a warm-up stepped in the unit it is counted in"
    assert evidence.likely == "a warm-up counted in steps is stepped once per epoch"


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        ({"by_hand": True}, "hp-lr-low"),
        ({"by_hand": False}, None),
        ({"by_hand": True, "lrs": (*STUCK.lrs, 1e-4)}, None),
    ],
    ids=["written over at every step", "given by a schedule", "a schedule by hand, which goes on"],
)
def test_a_low_rate_that_no_schedule_gave_is_no_warm_up(changes: dict[str, Any], cause: str | None) -> None:
    (evidence,) = found(STUCK, **changes)

    assert evidence.cause == cause


@pytest.mark.parametrize(
    "changes",
    [
        {"lrs": (0.1,) * 80},
        {"lrs": cosine(200)},
        {"lrs": cosine(50), "epoch_steps": 25},
        {"lrs": cosine(45)},
        {"lrs": linear(45)},
        {"lrs": cosine(20) * 6},
        {"epoch_steps": None},
        {"lrs": COLLAPSING.lrs[:EPOCH]},
    ],
    ids=[
        "constant",
        "cosine over a long run",
        "cosine over two short epochs",
        "cosine ends with the run, soon after the first epoch",
        "linear, likewise",
        "warm restarts",
        "no loader",
        "no more than an epoch seen",
    ],
)
def test_other_courses_are_fine(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


def test_a_rate_of_zero_on_purpose_is_not_a_warm_up() -> None:
    assert found(STUCK, lrs=(0.0,) * 41) == []


def test_without_a_configured_rate_nothing_is_stuck() -> None:
    assert found(STUCK, first_lr=None) == []


@pytest.mark.parametrize(("last", "times"), [(0.0025, 1), (0.0049, 1), (0.0051, 0), (0.0099, 0)])
def test_each_side_of_collapsed_to(last: float, times: int) -> None:
    assert len(found(lrs=staircase([0.1, 0.05, last]))) == times


@pytest.mark.parametrize(("stay", "times"), [(1, 0), (9, 0), (10, 1), (11, 1), (30, 1)])
def test_each_side_of_stays_epochs(stay: int, times: int) -> None:
    """Ten of an epoch's forty steps are spent at the last level, which alone lies below the limit of collapse."""
    assert len(found(lrs=staircase([0.1, 0.05, 0.02, 0.001], stay=stay))) == times


@pytest.mark.parametrize(("drop", "times"), [(0.9, 1), (0.949, 1), (0.951, 0), (0.99, 0)])
def test_each_side_of_smallest_drop(drop: float, times: int) -> None:
    """One steep drop below the limit of collapse, and one of the size in question."""
    assert len(found(lrs=staircase([0.1, 0.1 * drop, 0.001 * drop]))) == times


@pytest.mark.parametrize(
    ("levels", "times"), [([0.1, 0.001], 0), ([0.1, 0.01, 0.001], 1), ([0.1, 0.05, 0.01, 0.001], 1)]
)
def test_each_side_of_drops(levels: list[float], times: int) -> None:
    assert len(found(lrs=staircase(levels))) == times


@pytest.mark.parametrize(("lr", "times"), [(0.0025, 1), (0.0049, 1), (0.0051, 0), (0.0099, 0)])
def test_each_side_of_stuck_at(lr: float, times: int) -> None:
    assert len(found(STUCK, lrs=(lr,) * 41)) == times


@pytest.mark.parametrize(("steps", "times"), [(10, 0), (19, 0), (20, 1), (21, 1)])
def test_each_side_of_epoch_steps(steps: int, times: int) -> None:
    assert len(found(epoch_steps=steps, lrs=staircase([0.1, 0.01, 0.001, 0.0001], steps))) == times
