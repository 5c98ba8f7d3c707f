from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.targets_not_distribution import CHECK
from firstlight.records.facts import LossSite
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.sighting import TensorCard

MULTI_HOT = LossSite(
    function="cross_entropy",
    site=Site(file="train.py", line=20),
    calls=12,
    first_step=0,
    prediction=TensorCard(shape=(64, 7), dtype="float32", low=-2.0, high=2.0),
    target=TensorCard(shape=(64, 7), dtype="float32", low=0.0, high=1.0),
    made_by=None,
    made_at=None,
    class_sum_error=5.0,
    class_logsum_error=2.0,
    target_sum_error=4.0,
    most_ignored=0.0,
    least_ignored=0.0,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(MULTI_HOT, **changes), CHECK.limits))


def test_tells_how_far_the_rows_are_from_one() -> None:
    (evidence,) = found()

    assert evidence.saw == "the sums of rows of the floating-point target are up to 4 away from 1 (values 0 to 1)"
    assert evidence.wanted == "class indices, or rows that sum to 1"
    assert (evidence.where.file, evidence.where.line) == ("train.py", 20)


def test_class_indices_have_no_sums() -> None:
    assert found(target=TensorCard(shape=(64,), dtype="int64"), target_sum_error=None) == []


def test_an_unseen_target_is_not_judged() -> None:
    assert found(target=None) == []


@pytest.mark.parametrize(("error", "times"), [(0.0, 0), (0.049, 0), (0.05, 0), (0.051, 1), (0.099, 1)])
def test_each_side_of_sum_error(error: float, times: int) -> None:
    assert len(found(target_sum_error=error)) == times
