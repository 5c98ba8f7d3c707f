from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.rewards_cancel_out import CHECK
from firstlight.records.dealings import Weighed
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

SEEN = Weighed(
    rank=1,
    site=Site(file="train.py", line=20),
    step=24,
    looks=24,
    telling=20,
    largest=0.0,
    lowest=0.0,
    highest=2.0,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(SEEN, **changes), CHECK.limits))


def test_tells_weights_and_returns() -> None:
    (evidence,) = found()

    assert evidence.saw == "no action weighs more than 0 in the loss at 24 looks, while episodes return between 0 and 2"
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 20, 1)


def test_episodes_that_are_all_alike_tell_nothing() -> None:
    assert found(highest=0.0) == []


@pytest.mark.parametrize(("telling", "times"), [(2, 0), (3, 1)])
def test_each_side_of_telling(telling: int, times: int) -> None:
    assert len(found(telling=telling)) == times


@pytest.mark.parametrize(("largest", "times"), [(1.9e-4, 1), (2.1e-4, 0)])
def test_each_side_of_weight(largest: float, times: int) -> None:
    assert len(found(largest=largest)) == times
