from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.gradients_gone import CHECK
from firstlight.records.facts import StepOrder
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

BARE = StepOrder(
    optimizer="Adam",
    site=Site(file="train.py", line=21),
    backward_site=None,
    steps=100,
    piled_up=0,
    longest_pile=0,
    bare=99,
    frozen=1.0,
    gone=0,
    longest_gone=0,
    first_grad_norm=None,
    last_grad_norm=None,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BARE, **changes), CHECK.limits))


def test_frozen_parameters_are_the_reason() -> None:
    (evidence,) = found()

    assert "99 of 100 steps of `Adam` had no new gradient for any of its parameters, of which 100% require none" in (
        evidence.saw
    )
    assert (evidence.cause, evidence.where.line) == ("train-frozen", 21)


@pytest.mark.parametrize(("frozen", "cause"), [(0.49, "loss-detached"), (0.5, "train-frozen")])
def test_each_side_of_frozen(frozen: float, cause: str) -> None:
    (evidence,) = found(frozen=frozen)

    assert evidence.cause == cause


@pytest.mark.parametrize(("bare", "times"), [(89, 0), (90, 1)])
def test_each_side_of_bare(bare: int, times: int) -> None:
    assert len(found(bare=bare)) == times


@pytest.mark.parametrize(("steps", "times"), [(9, 0), (10, 1)])
def test_each_side_of_steps(steps: int, times: int) -> None:
    assert len(found(steps=steps, bare=steps)) == times


@pytest.mark.parametrize(("steps", "times"), [(2, 0), (3, 1)])
def test_each_side_of_rehearsed(steps: int, times: int) -> None:
    assert len(found(steps=steps, bare=steps, rehearsed=True)) == times
