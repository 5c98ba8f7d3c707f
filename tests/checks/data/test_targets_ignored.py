from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.targets_ignored import CHECK
from firstlight.records.facts import LossSite
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.sighting import TensorCard

ALL_IGNORED = LossSite(
    rank=1,
    function="cross_entropy",
    site=Site(file="train.py", line=36),
    calls=11,
    first_step=0,
    prediction=TensorCard(shape=(368, 40), dtype="float32", low=-2.0, high=2.0),
    target=TensorCard(shape=(368,), dtype="int64", low=-100.0, high=-100.0),
    made_by=None,
    made_at=None,
    class_sum_error=3.0,
    class_logsum_error=3.7,
    target_sum_error=None,
    most_ignored=1.0,
    least_ignored=1.0,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ALL_IGNORED, **changes), CHECK.limits))


def test_tells_the_share_and_the_calls() -> None:
    (evidence,) = found()

    assert evidence.saw == "at least 100.0% of the targets in each of 11 calls equal `ignore_index`"
    assert evidence.wanted == "some targets that count"
    assert (evidence.where.file, evidence.where.line) == ("train.py", 36)
    assert (evidence.where.step, evidence.where.rank) == (0, 1)


def test_one_call_with_valid_targets_is_enough() -> None:
    assert found(most_ignored=1.0, least_ignored=0.9) == []


@pytest.mark.parametrize(("share", "times"), [(0.4995, 0), (0.9989, 0), (0.999, 1), (1.0, 1)])
def test_each_side_of_least_ignored(share: float, times: int) -> None:
    assert len(found(least_ignored=share)) == times


@pytest.mark.parametrize(("calls", "times"), [(1, 0), (2, 0), (3, 1), (4, 1)])
def test_each_side_of_calls(calls: int, times: int) -> None:
    assert len(found(calls=calls)) == times
