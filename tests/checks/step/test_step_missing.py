from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.step_missing import CHECK
from firstlight.records.facts import Stepping
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.program import Swallowed

IDLE = Stepping(
    rank=1,
    backwards=200,
    steps=0,
    optimizers=("Adam",),
    unstepped={"Adam built at train.py:15": 200},
    unused={},
    weights_moved=None,
    backward_site=Site(file="train.py", line=21),
)

BY_HAND = replace(IDLE, optimizers=(), unstepped={})


def found(stepping: Stepping = IDLE, **changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(stepping, **changes), CHECK.limits))


def test_names_the_optimizer_that_never_stepped() -> None:
    (evidence,) = found()

    assert evidence.saw == "200 backwards, and no step of Adam built at train.py:15"
    assert evidence.wanted == "an `optimizer.step()` after the backward"
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 21, 1)
    assert evidence.numbers == {"backwards": 200, "steps": 0}


def test_one_of_two_optimizers_never_stepped() -> None:
    assert len(found(steps=200, optimizers=("Adam", "SGD"), unstepped={"SGD built at train.py:16": 200})) == 1


def test_no_optimizer_and_weights_that_stand_still() -> None:
    (evidence,) = found(BY_HAND, weights_moved=False)

    assert evidence.saw == "200 backwards, no optimizer, and no weight changed"


@pytest.mark.parametrize("moved", [True, None])
def test_an_update_by_hand_is_fine(moved: bool | None) -> None:
    assert found(BY_HAND, weights_moved=moved) == []


def test_stepping_optimizers_are_fine() -> None:
    assert found(steps=200, unstepped={}) == []


@pytest.mark.parametrize(("backwards", "times"), [(1, 0), (99, 0), (100, 1), (101, 1)])
def test_each_side_of_backwards(backwards: int, times: int) -> None:
    assert len(found(unstepped={"Adam built at train.py:15": backwards})) == times
    assert len(found(BY_HAND, backwards=backwards, weights_moved=False)) == times


def test_gradients_that_are_cleared_before_a_step_uses_them() -> None:
    (evidence,) = found(unstepped={}, unused={"Adam built at train.py:15": (198, 2)}, steps=2)
    assert evidence.saw == (
        "the gradients of 198 backwards were cleared before a step of Adam built at train.py:15 used them; it made 2"
    )


@pytest.mark.parametrize(
    ("unused", "steps", "times"), [(20, 0, 1), (19, 0, 0), (41, 10, 1), (40, 10, 0), (200, 200, 0)]
)
def test_each_side_of_how_many_are_cleared(unused: int, steps: int, times: int) -> None:
    assert len(found(unstepped={}, unused={"Adam built at train.py:15": (unused, steps)}, steps=steps)) == times


def test_an_exception_that_was_swallowed_is_the_reason() -> None:
    error = Swallowed(error="TypeError: not iterable", site=Site(file="train.py", line=22), times=8, looks=8)
    (evidence,) = found(swallowed=error)

    assert evidence.cause == "train-swallowed"
    assert evidence.saw == (
        "200 backwards, and no step of Adam built at train.py:15; after the backward an exception is raised here and "
        "the program continues: TypeError: not iterable"
    )
    assert evidence.where.line == 22


@pytest.mark.parametrize(("times", "cause"), [(3, None), (4, "train-swallowed")])
def test_each_side_of_raised(times: int, cause: str | None) -> None:
    error = Swallowed(error="KeyError: 3", site=None, times=times, looks=8)

    assert found(swallowed=error)[0].cause == cause


def test_a_condition_on_the_step_is_the_reason() -> None:
    (evidence,) = found(skipped=Site(file="train.py", line=22))

    assert evidence.saw.endswith("; the step is made on this condition only, which does not hold")
    assert (evidence.cause, evidence.where.line) == ("train-swallowed", 22)


@pytest.mark.parametrize(
    ("unused", "steps", "cause"),
    [(200, 2, "train-accumulation"), (201, 2, None), (140, 20, "train-accumulation"), (200, 0, None)],
)
def test_gradients_that_are_to_add_up_and_are_cleared_in_each_round(unused: int, steps: int, cause: str | None) -> None:
    """A hundred rounds for a step, and more, are no accumulation."""
    lost = {"Adam built at train.py:15": (unused, steps)}
    (evidence,) = found(unstepped={}, unused=lost, steps=steps, gathering=Site(file="train.py", line=22))

    assert evidence.cause == cause
    assert (evidence.where.line == 22) == (cause is not None)
