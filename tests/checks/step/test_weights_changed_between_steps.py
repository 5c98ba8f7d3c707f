from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.weights_changed_between_steps import CHECK
from firstlight.records.facts import Handling
from firstlight.records.finding import Evidence
from firstlight.records.inner import Touched
from firstlight.records.places import Site

SITE = Site(file="train.py", line=9)
JUMP = Touched(
    step=30, optimizer=0, name="Adam", built=SITE, tensor="0.weight", change=1.4, likeness=0.02, ratio=1.0, own=0.01
)
SHRUNK = replace(JUMP, change=0.5, likeness=1.0, ratio=0.5)


def found(touches: tuple[Touched, ...], steps: int = 90) -> list[Evidence]:
    handling = Handling(rank=1, optimizer="Adam", site=SITE, steps=steps, touches=touches)
    return list(CHECK.find(handling, CHECK.limits))


def shrunk(times: int, last: int = 89, **changes: Any) -> tuple[Touched, ...]:
    """So many times up to a step, after which no more were told."""
    return tuple(replace(SHRUNK, step=last - times + 1 + place, **changes) for place in range(times))


def test_weights_that_become_others_are_told_with_the_step() -> None:
    (evidence,) = found((JUMP, replace(JUMP, step=60)))
    assert evidence.saw == (
        "2 times in 90 steps, first before step 30, weights such as `0.weight` became others between two steps of Adam "
        "(cosine 0.02)"
    )
    assert (evidence.cause, evidence.where.line, evidence.where.step) == (None, 9, 30)


RESTORED = replace(JUMP, likeness=0.97, restored=True)


def test_weights_that_begin_anew_are_told_however_far_they_had_come() -> None:
    (evidence,) = found((RESTORED, replace(RESTORED, step=60)))
    assert evidence.saw == (
        "2 times in 90 steps, first before step 30, weights such as `0.weight` became once more what they were before "
        "the first step between two steps of Adam (cosine 0.97)"
    )
    assert evidence.cause is None


@pytest.mark.parametrize("touches", [(RESTORED,), (RESTORED, RESTORED, replace(RESTORED, restored=False))])
def test_a_single_restart_and_tasks_that_begin_from_what_others_left_are_fine(touches: tuple[Touched, ...]) -> None:
    assert found(touches) == []


def test_weights_that_shrink_at_every_step_are_decayed_by_hand() -> None:
    (evidence,) = found(shrunk(89))
    assert evidence.saw == (
        "between 89 of 89 steps the weights are shrunk to 0.5 of their size, where a step of Adam itself moves them by "
        "0.01"
    )
    assert evidence.cause == "hp-regularisation"


@pytest.mark.parametrize(("bounded", "times"), [(0.49, 1), (0.5, 0)])
def test_weights_that_are_held_at_a_limit_are_not_decayed(bounded: float, times: int) -> None:
    assert len(found(shrunk(89, bounded=bounded, change=0.05, own=0.04))) == times


def test_weights_that_are_rounded_after_each_step_lose_it() -> None:
    (evidence,) = found(shrunk(89, change=0.02, likeness=0.9999, ratio=0.9999, format="float8_e5m2", undone=0.75))
    assert evidence.saw == (
        "after a step of Adam the weights are rounded to float8_e5m2, and 75% of the elements that it had moved are "
        "back where they were"
    )
    assert evidence.cause == "num-precision"


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"undone": 0.5}, 1), ({"undone": 0.49}, 0), ({"undone": 0.9, "format": ""}, 0), ({"undone": float("nan")}, 0)],
)
def test_each_side_of_undone(changes: dict[str, Any], times: int) -> None:
    rounded: dict[str, Any] = {"change": 0.001, "own": 0.001, "format": "bfloat16"}
    assert len(found(shrunk(89, **rounded | changes))) == times


@pytest.mark.parametrize(("ratio", "cause"), [(0.5, "hp-regularisation"), (0.76, None), (1.2, None)])
def test_each_side_of_shrinking(ratio: float, cause: str | None) -> None:
    (evidence,) = found(shrunk(89, ratio=ratio, likeness=0.9))
    assert evidence.cause == cause


def test_weights_that_nobody_touches_are_fine() -> None:
    assert found(()) == []


@pytest.mark.parametrize(
    ("touches", "steps", "times"),
    [
        ((JUMP,), 90, 0),
        ((JUMP,) * 2, 90, 1),
        ((JUMP,) * 2, 8, 1),
        ((JUMP,) * 2, 7, 0),
        (shrunk(45), 90, 1),
        (shrunk(44), 90, 0),
        (shrunk(44, last=88), 900, 1),
    ],
)
def test_each_side_of_how_often(touches: tuple[Touched, ...], steps: int, times: int) -> None:
    assert len(found(touches, steps)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"change": 0.01, "own": 0.001}, 1),
        ({"change": 0.009, "own": 0.001}, 0),
        ({"change": 0.5, "own": 0.16, "likeness": 0.8}, 1),
        ({"change": 0.5, "own": 0.17, "likeness": 0.8}, 0),
        ({"change": 0.5, "own": 0.5, "likeness": 0.9991}, 1),
        ({"change": 0.5, "own": 0.5, "likeness": 0.999}, 0),
        ({"change": 0.5, "own": 0.5, "ratio": 1.0}, 0),
        ({"change": 0.5, "own": float("nan"), "likeness": 0.8}, 0),
    ],
)
def test_each_side_of_how_far(changes: dict[str, Any], times: int) -> None:
    assert len(found(shrunk(89, **changes))) == times


@pytest.mark.parametrize(("likeness", "times"), [(0.49, 1), (0.5, 0)])
def test_each_side_of_likeness(likeness: float, times: int) -> None:
    assert len(found((replace(JUMP, likeness=likeness, change=0.0),) * 2)) == times
