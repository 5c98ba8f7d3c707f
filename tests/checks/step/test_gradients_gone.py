from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.gradients_gone import CHECK
from firstlight.records.facts import StepOrder
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

GONE = StepOrder(
    rank=1,
    optimizer="Adam",
    site=Site(file="train.py", line=31),
    backward_site=Site(file="train.py", line=29),
    steps=150,
    piled_up=0,
    longest_pile=0,
    gone=150,
    longest_gone=150,
    first_grad_norm=0.0,
    last_grad_norm=0.0,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(GONE, **changes), CHECK.limits))


def test_tells_at_how_many_steps() -> None:
    (evidence,) = found()

    assert evidence.saw == "at 150 of 150 steps the gradients of the last backward had already been cleared"
    assert evidence.wanted == "zero_grad, backward, step, in this order"
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 31, 1)
    assert evidence.numbers == {"gone": 150, "steps": 150}


def test_skipping_now_and_then_is_fine() -> None:
    assert found(gone=20, longest_gone=1) == []


@pytest.mark.parametrize(("run", "times"), [(0, 0), (2, 0), (3, 1), (4, 1)])
def test_each_side_of_steps_in_a_row(run: int, times: int) -> None:
    assert len(found(longest_gone=run)) == times
