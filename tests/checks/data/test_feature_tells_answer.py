from typing import Any

import pytest
from tests.checks.data.relating import found, related

from firstlight.checks.data.feature_tells_answer import CHECK
from firstlight.records.relations import MadeOf, Relations, Tells


def telling(examples: int = 1000, acting: bool = False, **changes: Any) -> Relations:
    usual = {"columns": (9,), "count": 1, "of": 10, "power": 0.999, "others": 0.4, "rest": 30.0}
    return related(tells=Tells(**{**usual, **changes}), examples=examples, acting=acting)


def test_tells_the_feature_beside_the_best_of_the_others() -> None:
    (evidence,) = found(CHECK, telling())

    assert evidence.saw == (
        "feature 9 of 10 determines the target alone (100% of it, over 1,000 examples); the best of the others "
        "determines 40%"
    )
    assert (evidence.where.file, evidence.where.line) == ("train.py", 20)


def test_several_are_named_and_the_rest_is_not() -> None:
    (evidence,) = found(CHECK, telling(columns=(4, 5), count=3))

    assert evidence.saw.startswith("features 4, 5, … of 10 determine the target by themselves")


@pytest.mark.parametrize(("power", "times"), [(0.96, 0), (0.97, 1), (float("nan"), 0)])
def test_each_side_of_power(power: float, times: int) -> None:
    assert len(found(CHECK, telling(power=power))) == times


@pytest.mark.parametrize(("others", "times"), [(0.8, 1), (0.81, 0), (float("nan"), 0)])
def test_each_side_of_others(others: float, times: int) -> None:
    assert len(found(CHECK, telling(others=others))) == times


@pytest.mark.parametrize(("rest", "times"), [(5.9, 0), (6.0, 1), (float("nan"), 0)])
def test_each_side_of_rest(rest: float, times: int) -> None:
    assert len(found(CHECK, telling(rest=rest))) == times


@pytest.mark.parametrize(("examples", "times"), [(63, 0), (64, 1)])
def test_each_side_of_examples(examples: int, times: int) -> None:
    assert len(found(CHECK, telling(examples=examples))) == times


def test_answers_of_a_model_that_acts_are_its_own_doing() -> None:
    assert found(CHECK, telling(acting=True)) == []


def together(acting: bool = False, **changes: Any) -> Relations:
    usual = {"columns": (4, 2, 1), "of": 14, "left": 7e-8, "alone": 0.5, "without": 0.46, "against": -0.9}
    return related(made_of=MadeOf(**{**usual, **changes}), examples=1000, acting=acting)


def test_a_sum_is_told_by_the_feature_that_holds_the_answer() -> None:
    (evidence,) = found(CHECK, together())

    assert evidence.saw == (
        "the target is an exact sum of features 4, 2, 1: over 1,000 examples 7e-08 of it is left unexplained, and 46% "
        "without feature 4"
    )
    assert evidence.cause == "data-leak-target"


def test_features_of_a_series_are_told_with_their_places() -> None:
    (evidence,) = found(CHECK, together(columns=(1, 0), places=(46, 47)))

    assert "features 1 at position 46, 0 at position 47" in evidence.saw
    assert evidence.cause == "data-leak-future"


@pytest.mark.parametrize(("left", "times"), [(1e-4, 1), (1.1e-4, 0), (float("nan"), 0)])
def test_each_side_of_left(left: float, times: int) -> None:
    assert len(found(CHECK, together(left=left))) == times


@pytest.mark.parametrize(("against", "times"), [(-0.15, 1), (-0.14, 0), (0.9, 0), (float("nan"), 0)])
def test_each_side_of_against(against: float, times: int) -> None:
    assert len(found(CHECK, together(against=against))) == times


@pytest.mark.parametrize(("without", "times"), [(0.09, 0), (0.1, 1), (float("nan"), 0)])
def test_each_side_of_without(without: float, times: int) -> None:
    assert len(found(CHECK, together(without=without))) == times


@pytest.mark.parametrize(("alone", "times"), [(0.13, 0), (0.14, 1), (float("nan"), 0)])
def test_each_side_of_alone(alone: float, times: int) -> None:
    assert len(found(CHECK, together(alone=alone))) == times


def test_sums_of_a_model_that_acts_are_its_own_doing() -> None:
    assert found(CHECK, together(acting=True)) == []
