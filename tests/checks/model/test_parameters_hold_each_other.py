from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.parameters_hold_each_other import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.sighting import Some
from firstlight.records.stuck import StuckAtZero

ADAPTER = StuckAtZero(
    step=40,
    optimizer="AdamW",
    site=Site(file="train.py", line=43),
    steps=40,
    stuck=Some(tensors=2, elements=192, names=("fc.down", "fc.up")),
    others=2,
    nudged="fc.down",
    woken=Some(tensors=1, elements=128, names=("fc.up",)),
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ADAPTER, **changes), CHECK.limits))


def test_tells_which_one_woke_the_other() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "2 of the 4 tensors that `AdamW` trains are zero, and so are their gradients, at each of 40 steps; "
        "with `fc.down` moved off zero, `fc.up` had a gradient"
    )
    assert (evidence.where.line, evidence.where.module) == (43, "fc.down")


def test_zeros_that_nothing_wakes_are_no_pair() -> None:
    assert found(nudged=None, woken=Some()) == []
    assert found(woken=Some()) == []


@pytest.mark.parametrize(("steps", "times"), [(6, 1), (5, 0)])
def test_each_side_of_steps(steps: int, times: int) -> None:
    assert len(found(steps=steps)) == times
