from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.averaged_over_wrong_count import CHECK
from firstlight.records.averages import Averaged
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import Site

BY_BATCHES = Averaged(
    step=12,
    site=Site(file="train.py", line=40),
    what="right answers",
    of_batches=False,
    by=6,
    batches=6,
    examples=300,
    unequal=False,
    value=45.0,
    meant=0.9,
    times=3,
    sure=True,
)
UNEVEN = replace(BY_BATCHES, what="losses", of_batches=True, unequal=True, value=0.8, meant=0.7)


def found(averaged: Averaged, **changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(averaged, **changes), CHECK.limits))


def test_right_answers_over_batches_are_told() -> None:
    (evidence,) = found(BY_BATCHES)

    assert evidence.saw == (
        "a sum of right answers (one per example, for 300 examples in 6 batches) is divided by 6, which gives 45"
    )
    assert (evidence.where.line, evidence.severity) == (40, None)


def test_what_the_last_batch_gave_alone_is_told() -> None:
    (evidence,) = found(BY_BATCHES, of_last=True, by=300, value=0.15)

    assert evidence.saw == "what only the last of 6 batches gave in right answers is divided by 300, which gives 0.15"


def test_what_may_be_by_chance_is_not() -> None:
    assert found(BY_BATCHES, sure=False) == []


def test_batches_of_unequal_size_are_a_note() -> None:
    (evidence,) = found(UNEVEN)

    assert evidence.severity is Severity.NOTE
    assert "its mean counts as much as theirs" in str(evidence.likely)


def test_means_of_batches_of_one_size_are_fine() -> None:
    assert found(UNEVEN, unequal=False) == []


@pytest.mark.parametrize(("value", "times"), [(0.7069, 0), (0.7071, 1)])
def test_each_side_of_apart(value: float, times: int) -> None:
    assert len(found(UNEVEN, value=value)) == times
