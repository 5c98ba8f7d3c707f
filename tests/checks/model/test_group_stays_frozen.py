from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.group_stays_frozen import CHECK
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import Site
from firstlight.records.sighting import Some
from firstlight.records.standing_by import GroupFrozen

FROZEN = GroupFrozen(
    step=40,
    optimizer="Adam",
    built=Site(file="train.py", line=12),
    site=Site(file="train.py", line=20),
    parameters=Some(tensors=4, elements=900, names=("trunk.0.weight", "trunk.0.bias")),
    rate=1e-3,
    steps=9,
    test="epoch >= warmup_steps",
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(FROZEN, **changes), CHECK.limits))


def test_tells_what_is_frozen_and_what_keeps_it_so() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "a group of `Adam` with a rate of 0.001 (4 tensors: trunk.0.weight, trunk.0.bias and 2 more) was frozen at all "
        "of its 9 steps, to the end of the program; `epoch >= warmup_steps` gives the same result in the first and "
        "the last round of its loop"
    )
    assert (evidence.where.line, evidence.severity) == (20, None)


def test_one_that_no_stage_was_to_thaw_is_a_note() -> None:
    (evidence,) = found(test="")

    assert evidence.severity is Severity.NOTE


@pytest.mark.parametrize(("steps", "told"), [(2, 0), (3, 1)])
def test_each_side_of_steps(steps: int, told: int) -> None:
    assert len(found(steps=steps)) == told


def test_a_rate_of_zero_says_that_it_is_meant() -> None:
    assert found(rate=0.0) == []
