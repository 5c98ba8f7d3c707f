from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.loss_explodes import CHECK
from firstlight.records.facts import LossCurve
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

RUNAWAY = LossCurve(
    rank=1,
    site=Site(file="train.py", line=21),
    optimizers=1,
    values=(2.0,) * 5 + (80.0,) * 5,
    weight_norms=(3.9, 5.0, 20.0),
    lr=0.3,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(RUNAWAY, **changes), CHECK.limits))


def test_tells_both_losses_both_norms_and_the_rate() -> None:
    (evidence,) = found()

    assert evidence.saw == ("the loss went from 2 to 80 and the weights' norm from 3.9 to 20 at learning rate 0.3")
    assert evidence.wanted == "a loss that falls, or stays of the same order of magnitude"
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 21, 1)
    assert evidence.numbers == {"first": 2.0, "last": 80.0}


def test_it_is_a_symptom() -> None:
    """A finding that names the cause goes first."""
    assert CHECK.symptom


def test_losses_that_run_to_minus_infinity_count_too() -> None:
    assert len(found(values=(-2.0,) * 5 + (-80.0,) * 5)) == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"values": (2.0,) * 10},
        {"values": (2.0,) * 5 + (80.0,) * 8 + (1.0,) * 5},
        {"values": (0.0,) * 5 + (80.0,) * 5},
        {"values": (2.0,) * 5 + (80.0,) * 4 + (float("nan"),)},
        {"weight_norms": ()},
        {"weight_norms": (3.9, 3.9)},
    ],
    ids=["flat", "came back", "from zero", "non-finite", "weights unseen", "weights stand"],
)
def test_other_courses_are_fine(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


@pytest.mark.parametrize(("values", "times"), [(8, 0), (9, 0), (10, 1), (11, 1)])
def test_each_side_of_values(values: int, times: int) -> None:
    assert len(found(values=(2.0,) * 5 + (80.0,) * (values - 5))) == times


@pytest.mark.parametrize(("bad", "times"), [(2, 0), (3, 1)])
def test_the_window_is_compared_by_its_median(bad: int, times: int) -> None:
    """Three of the last five values decide."""
    tail = (2.0,) * (5 - bad) + (80.0,) * bad

    assert len(found(values=(2.0,) * 10 + tail)) == times


@pytest.mark.parametrize(("last", "times"), [(39.0, 0), (40.0, 1), (41.0, 1), (79.0, 1)])
def test_each_side_of_growth(last: float, times: int) -> None:
    assert len(found(values=(2.0,) * 5 + (last,) * 5)) == times


@pytest.mark.parametrize(("last", "times"), [(7.7, 0), (7.8, 1), (7.9, 1), (15.5, 1)])
def test_each_side_of_weight_growth(last: float, times: int) -> None:
    assert len(found(weight_norms=(3.9, last))) == times
