from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.entropy_lowered import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.inner import EntropySeen
from firstlight.records.places import Site

SEEN = EntropySeen(
    step=200, rank=1, name="Categorical", site=Site(file="train.py", line=20), lowered=200, raised=0, draws=200
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(SEEN, **changes), CHECK.limits))


def test_tells_which_way_the_loss_goes() -> None:
    (evidence,) = found()

    assert evidence.saw == "at 200 of 200 backwards the loss falls when the entropy of the Categorical falls"
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 20, 1)
    assert evidence.numbers == {"lowered": 200, "backwards": 200}


def test_an_entropy_that_is_kept_up_is_fine() -> None:
    assert found(lowered=0, raised=200) == []


def test_a_classifier_draws_nothing() -> None:
    assert found(draws=0) == []


@pytest.mark.parametrize(("lowered", "times"), [(9, 0), (10, 1)])
def test_each_side_of_backwards(lowered: int, times: int) -> None:
    assert len(found(lowered=lowered)) == times


@pytest.mark.parametrize(("raised", "times"), [(11, 0), (10, 1)])
def test_each_side_of_share(raised: int, times: int) -> None:
    assert len(found(lowered=90, raised=raised)) == times
