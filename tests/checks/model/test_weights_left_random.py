from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.weights_left_random import CHECK
from firstlight.records.census import Census
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import Site
from firstlight.records.sighting import Some

NONE = Some()
FROZEN = Some(tensors=2, elements=600, names=("0.weight", "2.weight"))
RANDOM = Census(
    step=100,
    rank=1,
    model=0,
    name="Net",
    site=Site(file="train.py", line=29),
    steps=100,
    backwards=3,
    trainable=Some(tensors=2, elements=400, names=("0.bias", "2.bias")),
    frozen=FROZEN,
    left_random=FROZEN,
    optimized=NONE,
    unoptimized=NONE,
    uncalled=NONE,
    cut_off=NONE,
    wasted=NONE,
    zero=NONE,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(RANDOM, **changes), CHECK.limits))


def test_names_the_matrices_and_waits_for_a_copy_that_trains_them() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "2 weight matrices (60% of `Net`: 0.weight, 2.weight) do not require a gradient, were never trained, and were "
        "not loaded"
    )
    assert (evidence.where.line, evidence.where.module) == (29, "0.weight")
    assert (CHECK.severity, CHECK.proven) == (Severity.NOTE, Severity.WARNING)


@pytest.mark.parametrize(("elements", "times"), [(500, 0), (501, 1)])
def test_each_side_of_share(elements: int, times: int) -> None:
    assert len(found(left_random=replace(FROZEN, elements=elements))) == times


@pytest.mark.parametrize(("backwards", "times"), [(2, 0), (3, 1)])
def test_each_side_of_backwards(backwards: int, times: int) -> None:
    assert len(found(backwards=backwards)) == times


def test_weights_that_were_trained_or_loaded_may_rest() -> None:
    assert found(left_random=NONE) == []
