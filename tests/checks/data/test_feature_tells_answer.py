from typing import Any

import pytest
from tests.checks.data.relating import found, related

from firstlight.checks.data.feature_tells_answer import CHECK
from firstlight.records.relations import Relations, Tells


def telling(examples: int = 1000, acting: bool = False, **changes: Any) -> Relations:
    usual = {"columns": (9,), "count": 1, "of": 10, "power": 0.999, "others": 0.4, "rest": 30.0}
    return related(tells=Tells(**{**usual, **changes}), examples=examples, acting=acting)


def test_tells_the_feature_beside_the_best_of_the_others() -> None:
    (evidence,) = found(CHECK, telling())

    assert evidence.saw == (
        "feature 9 of 10 tells the answer by itself (100% of it, over 1,000 examples); the best of the others tells 40%"
    )
    assert (evidence.where.file, evidence.where.line) == ("train.py", 20)


def test_several_are_named_and_the_rest_is_not() -> None:
    (evidence,) = found(CHECK, telling(columns=(4, 5), count=3))

    assert evidence.saw.startswith("features 4, 5, … of 10 tell the answer by themselves")


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
