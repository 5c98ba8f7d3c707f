from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.answers_all_alike import CHECK
from firstlight.records.facts import LossSite
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.sighting import TensorCard

LOSS = LossSite(
    function="cross_entropy",
    site=Site(file="train.py", line=20),
    calls=12,
    first_step=0,
    prediction=TensorCard(shape=(64, 12), dtype="float32"),
    target=None,
    made_by=None,
    made_at=None,
    class_sum_error=None,
    class_logsum_error=None,
    target_sum_error=None,
    most_ignored=0.8,
    least_ignored=0.8,
    most_classes=12,
    lowest=11.0,
    highest=11.0,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(LOSS, **changes), CHECK.limits))


def test_tells_the_class_and_what_is_ignored() -> None:
    (evidence,) = found()

    assert evidence.saw == "all targets of 12 batches of `cross_entropy` are class 11, with 80% of the targets ignored"
    assert evidence.cause == "data-labels-masked"


def test_without_a_mask_the_labels_were_lost() -> None:
    (evidence,) = found(most_ignored=0.0)

    assert evidence.cause == "data-schema"


def test_two_answers_are_enough() -> None:
    assert found(lowest=3.0) == []
    assert found(lowest=None, highest=None) == []


@pytest.mark.parametrize(("calls", "times"), [(7, 0), (8, 1)])
def test_each_side_of_calls(calls: int, times: int) -> None:
    assert len(found(calls=calls)) == times


@pytest.mark.parametrize(("classes", "times"), [(2, 0), (3, 1), (None, 0)])
def test_each_side_of_classes(classes: int | None, times: int) -> None:
    assert len(found(most_classes=classes)) == times
