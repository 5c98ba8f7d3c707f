from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.penalty_outweighs import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.taped import PenaltySeen

HEAVY = PenaltySeen(rank=1, site=Site(file="train.py", line=9), looks=3, step=24, own=300.0, through=2.0)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(HEAVY, **changes), CHECK.limits))


def test_tells_both_pulls_where_the_penalty_begins() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "the gradient of the penalty has a norm of 300, and what comes through the data one of 2, at the best of "
        "3 looks"
    )
    assert (evidence.where.line, evidence.where.step, evidence.where.rank) == (9, 24, 1)


def test_terms_without_answers_are_held_against_those_with_them() -> None:
    (evidence,) = found(on="outputs")

    assert "terms without targets has a norm of 300, and what comes from the targets one of 2" in evidence.saw
    assert evidence.cause == "loss-scale"
    assert found()[0].cause is None


@pytest.mark.parametrize(("own", "times"), [(59.9, 0), (60.0, 0), (60.1, 1), (float("nan"), 0)])
def test_each_side_of_times(own: float, times: int) -> None:
    assert len(found(own=own)) == times


@pytest.mark.parametrize(("looks", "times"), [(1, 0), (2, 1)])
def test_each_side_of_looks(looks: int, times: int) -> None:
    assert len(found(looks=looks)) == times
