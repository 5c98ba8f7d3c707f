from typing import Any

import pytest
from msgspec.structs import replace
from tests.checks.data.relating import found, related

from firstlight.checks.learning.plain_fit_does_better import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.relations import Skills

BEHIND = Skills(rows=640, plain=0.9, own=0.2, before=0.19, looks=40, step=480)


def told(acting: bool = False, warming: bool = False, **changes: Any) -> list[Evidence]:
    return found(CHECK, replace(related(skills=replace(BEHIND, **changes), acting=acting), warming=warming))


def test_tells_both_skills_where_answers_are_met() -> None:
    (evidence,) = told()

    assert evidence.saw == (
        "after 480 steps the program gets 20% of the way from one output for all examples to being always right, "
        "but a plain fit to 640 of its examples 90%"
    )
    assert evidence.wanted == "at least 45%, or a skill that is still rising"
    assert (evidence.where.step, evidence.where.rank) == (480, 1)


def test_worse_than_one_answer_is_none_of_the_way() -> None:
    (evidence,) = told(own=-3.0, before=-3.0)

    assert "the program gets 0% of the way" in evidence.saw


@pytest.mark.parametrize(
    ("changes", "ill"),
    [
        ({"plain": 0.5}, True),
        ({"plain": 0.49}, False),
        ({"plain": float("nan")}, False),
        ({"later": 0.5}, True),
        ({"later": 0.49}, False),
        ({"later": float("nan")}, False),
        ({"own": 0.44, "before": 0.44}, True),
        ({"own": 0.46, "before": 0.46}, False),
        ({"own": float("nan")}, False),
        ({"step": 300}, True),
        ({"step": 299}, False),
        ({"before": 0.14}, True),
        ({"before": 0.12}, False),
        ({"acting": True}, False),
        ({"warming": True}, False),
    ],
)
def test_both_sides_of_each_limit(changes: dict[str, Any], ill: bool) -> None:
    assert bool(told(**changes)) is ill
