from typing import Any

import pytest
from msgspec.structs import replace
from tests.checks.data.relating import found, related

from firstlight.checks.data.listed_in_other_order import CHECK
from firstlight.records.relations import Relations, Reordered, Skills


def listed(skill: float = 0.1, acting: bool = False, **changes: Any) -> Relations:
    usual = Reordered(examples=160, deviations=3.0, order="inputs are sorted as text", order_deviations=40.0)
    return related(reordered=replace(usual, **changes), skills=Skills(plain=skill), acting=acting)


def test_tells_the_order_in_which_answers_fit() -> None:
    (evidence,) = found(CHECK, listed())

    would = "(3.0 standard deviations from chance), but would (40) on the assumption that inputs are sorted as text"
    assert evidence.saw.endswith(would)
    assert (evidence.where.file, evidence.where.line) == ("train.py", 20)


def test_a_dataset_that_was_not_asked_is_fine() -> None:
    assert found(CHECK, related()) == []


@pytest.mark.parametrize(
    ("own", "there", "times"), [(0.0, 10.0, 1), (0.0, 9.9, 0), (8.0, 40.0, 1), (8.1, 40.0, 0), (float("nan"), 9.0, 0)]
)
def test_each_side_of_a_limit(own: float, there: float, times: int) -> None:
    assert len(found(CHECK, listed(deviations=own, order_deviations=there))) == times


def test_answers_that_a_plain_fit_foretells_are_in_order() -> None:
    assert len(found(CHECK, listed(skill=0.49))) == 1
    assert found(CHECK, listed(skill=0.5)) == []
    assert found(CHECK, listed(acting=True)) == []
