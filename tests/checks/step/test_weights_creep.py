import math

import pytest

from firstlight.checks.step.weights_creep import CHECK
from firstlight.records.facts import Motion
from firstlight.records.finding import Evidence
from firstlight.records.inner import Moved, Movement
from firstlight.records.places import Site

SITE = Site(file="train.py", line=9)
PLAIN = {"lr": 1e-8}


def look(step: int, pace: float = 1e-7, *, gradient: float = 0.01, settings: dict[str, float] = PLAIN) -> Movement:
    tensors = tuple(
        Moved(name=name, shape=shape, dtype="float32", gradient=gradient, weight=0.1, update=0.1 * part, still=0.0)
        for name, shape, part in (("weight", (8, 4), pace), ("bias", (8,), 1.0))
    )
    return Movement(step=step, optimizer=0, name="SGD", built=SITE, settings=settings, tensors=tensors)


def found(*looks: Movement, fell: float | None = 0.0) -> list[Evidence]:
    motion = Motion(rank=1, optimizer="SGD", site=SITE, settings=PLAIN, looks=looks, fell=fell, answered=False)
    return list(CHECK.find(motion, CHECK.limits))


def test_tells_how_far_the_weights_move() -> None:
    (evidence,) = found(look(2), look(10, 3e-7), look(30))

    assert evidence.saw == (
        "at 3 of 3 looks, up to step 30, a step of SGD at learning rate 1e-08 changes a weight matrix by at most "
        "3.0e-07 of its size"
    )
    assert evidence.wanted == "at least 1e-06; between 2e-04 and 0.1 is usual"
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 9, 1)


@pytest.mark.parametrize(("pace", "times"), [(9e-7, 1), (1.1e-6, 0), (1e-3, 0), (0.0, 1), (math.nan, 0)])
def test_each_side_of_pace_at_any_look(pace: float, times: int) -> None:
    """What is smaller than the last digits of a weight leaves it as it was."""
    assert len(found(look(2), look(10, pace), look(30))) == times


@pytest.mark.parametrize(("looks", "times"), [(2, 0), (3, 1), (5, 1)])
def test_each_side_of_looks(looks: int, times: int) -> None:
    assert len(found(*(look(10 * at) for at in range(looks)))) == times


@pytest.mark.parametrize(("gradient", "times"), [(0.9e-4, 0), (1.1e-4, 1)])
def test_each_side_of_the_gradient(gradient: float, times: int) -> None:
    """A thousandth of the weight, 0.1; smaller ones are themselves the reason."""
    assert len(found(*(look(10 * at, gradient=gradient) for at in range(3)))) == times


@pytest.mark.parametrize(("rate", "times"), [(0.9e-7, 1), (1.1e-7, 0)])
def test_adam_moves_by_its_rate_whatever_the_gradient(rate: float, times: int) -> None:
    """A millionth of the weights, 0.1: with a higher rate something else holds the weights."""
    settings = {"lr": rate, "beta1": 0.9, "beta2": 0.999}

    assert len(found(*(look(10 * at, gradient=1e-12, settings=settings) for at in range(3)))) == times


@pytest.mark.parametrize(("fell", "times"), [(None, 1), (-1.0, 1), (0.09, 1), (0.11, 0)])
def test_a_program_that_learns_moves_enough(fell: float | None, times: int) -> None:
    assert len(found(look(2), look(10), look(30), fell=fell)) == times


@pytest.mark.parametrize(("last", "cause"), [(1.9e-8, None), (2.1e-8, "train-schedule")])
def test_each_side_of_rises(last: float, cause: str | None) -> None:
    (evidence,) = found(look(2), look(10), look(30, settings={"lr": last}))

    assert evidence.cause == cause
