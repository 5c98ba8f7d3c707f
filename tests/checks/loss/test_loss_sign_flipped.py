from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.loss_sign_flipped import CHECK
from firstlight.records.facts import LossCurve
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

RISING = LossCurve(
    rank=1,
    site=Site(file="train.py", line=24),
    optimizers=1,
    values=(-1.8, -1.8, -1.8, -1.9, -1.9, -1.9),
    weight_norms=(3.0, 3.1),
    lr=0.002,
    negated=(1.8, 1.8, 1.8, 1.9, 1.9, 1.9),
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(RISING, **changes), CHECK.limits))


def test_tells_from_where_to_where_the_true_loss_rises() -> None:
    (evidence,) = found()

    assert evidence.saw == "backward is called on minus the loss, which rises from 1.8 to 1.9"
    assert evidence.wanted == "backward on the loss itself, which then falls"
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 24, 1)


def test_a_negated_loss_that_falls_is_somebodys_trick() -> None:
    assert found(negated=(1.9, 1.9, 1.9, 1.8, 1.8, 1.8)) == []


def test_an_ordinary_loss_that_rises_is_not_flipped() -> None:
    assert found(values=(1.8, 1.8, 1.8, 1.9, 1.9, 1.9), negated=()) == []


@pytest.mark.parametrize("optimizers", [0, 2])
def test_with_an_adversary_a_loss_is_maximised_on_purpose(optimizers: int) -> None:
    assert found(optimizers=optimizers) == []


@pytest.mark.parametrize(("sightings", "times"), [(4, 0), (5, 0), (6, 1), (7, 1)])
def test_each_side_of_sightings(sightings: int, times: int) -> None:
    assert len(found(negated=tuple(1.0 + step for step in range(sightings)))) == times


@pytest.mark.parametrize(("late", "times"), [(1.019, 0), (1.0199, 0), (1.0201, 1), (1.04, 1)])
def test_each_side_of_rise(late: float, times: int) -> None:
    assert len(found(negated=(1.0, 1.0, 1.0, late, late, late))) == times


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 1.7e308])
def test_values_without_a_mean_are_not_judged(bad: float) -> None:
    assert found(negated=(1.0, bad, bad, bad, bad, 2.0)) == []
