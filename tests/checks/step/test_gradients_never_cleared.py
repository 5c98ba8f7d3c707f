from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.gradients_never_cleared import CHECK
from firstlight.records.facts import StepOrder
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

PILING = StepOrder(
    rank=1,
    optimizer="SGD",
    site=Site(file="train.py", line=23),
    backward_site=Site(file="train.py", line=22),
    steps=120,
    piled_up=119,
    longest_pile=119,
    gone=0,
    longest_gone=0,
    first_grad_norm=1.08,
    last_grad_norm=27.8,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(PILING, **changes), CHECK.limits))


def test_tells_how_often_and_how_far_the_gradients_piled_up() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "at 119 of 120 steps backward added to the gradients of the step before; "
        "the gradient norm went from 1.08 to 27.8"
    )
    assert evidence.wanted == "gradients cleared between one step and the next backward"
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 22, 1)
    assert evidence.numbers == {"piled_up": 119, "steps": 120}


def test_the_step_stands_in_for_an_unknown_backward() -> None:
    (evidence,) = found(backward_site=None)

    assert evidence.where.line == 23


def test_unknown_norms_are_left_out() -> None:
    (evidence,) = found(first_grad_norm=None, last_grad_norm=None)

    assert "norm" not in evidence.saw


def test_piles_that_are_cleared_in_between_are_fine() -> None:
    assert found(piled_up=40, longest_pile=2) == []


@pytest.mark.parametrize(("run", "times"), [(0, 0), (2, 0), (3, 1), (4, 1)])
def test_each_side_of_steps_in_a_row(run: int, times: int) -> None:
    assert len(found(longest_pile=run)) == times
