from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.optimizer_rebuilt import CHECK
from firstlight.records.facts import Rebuilding
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import Site

BUILT = Rebuilding(
    rank=1,
    optimizer="Adam",
    site=Site(file="train.py", line=17),
    times=4,
    lives=(30, 30, 30, 30, 7),
    stateful=True,
    closure=False,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BUILT, **changes), CHECK.limits))


def test_tells_how_often_and_how_long_each_lived() -> None:
    (evidence,) = found()

    assert evidence.saw == "`Adam` was built again 4 times for the same parameters, after a median of 30 steps"
    assert evidence.wanted == "one optimizer for the whole training"
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 17, 1)
    assert evidence.numbers == {"times": 4, "median_steps": 30}


def test_one_step_is_told_in_the_singular() -> None:
    assert found(lives=(1, 1, 1, 1))[0].saw.endswith("after a median of 1 step")


def test_nothing_is_lost_without_a_state() -> None:
    assert found(stateful=False) == []


def test_a_closure_is_a_whole_optimisation() -> None:
    assert found(closure=True) == []


@pytest.mark.parametrize(("times", "findings"), [(0, 0), (3, 0), (4, 1), (5, 1)])
def test_each_side_of_times(times: int, findings: int) -> None:
    assert len(found(times=times)) == findings


@pytest.mark.parametrize(("steps", "findings"), [(99, 1), (100, 1), (101, 0)])
def test_each_side_of_steps(steps: int, findings: int) -> None:
    assert len(found(lives=(steps,) * 5)) == findings


@pytest.mark.parametrize(("steps", "severity"), [(9, Severity.ERROR), (10, Severity.ERROR), (11, None)])
def test_each_side_of_certain_steps(steps: int, severity: Severity | None) -> None:
    (evidence,) = found(lives=(steps,) * 5)

    assert evidence.severity is severity
    assert CHECK.severity is Severity.WARNING


def test_one_optimizer_that_loses_its_state_is_told_too() -> None:
    (evidence,) = found(times=0, lives=(50,), forgotten=49)

    assert evidence.saw == "`Adam` lost its state 49 times, after about 1 step"
    assert evidence.severity is Severity.ERROR
    assert found(times=0, lives=(50,), forgotten=3) == []
    assert found(times=0, lives=(5000,), forgotten=9) == []


def given_up(times: int, used: int = 1) -> list[Evidence]:
    return found(times=0, lives=(), stateful=False, model="Net", given_up=(24,) * times, used=used)


def test_models_that_are_trained_and_let_go_of_are_told() -> None:
    (evidence,) = given_up(3)

    assert evidence.saw.startswith("3 models (`Net`) were built here one after the other")
    assert evidence.numbers == {"given_up": 3, "used": 1, "median_steps": 24}
    assert evidence.severity is None


def test_a_trial_or_two_are_not() -> None:
    assert given_up(2) == []


def test_nor_are_they_where_most_are_used() -> None:
    assert given_up(3, used=3) == []
