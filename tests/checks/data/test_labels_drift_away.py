from typing import Any

import pytest
from msgspec.structs import replace
from tests.checks.data.relating import found, related

from firstlight.checks.data.labels_drift_away import CHECK
from firstlight.records.relations import Drift, Relations, Skills


def drifted(skill: float = 0.1, acting: bool = False, **changes: Any) -> Relations:
    usual = Drift(examples=768, fit=0.1, along=0.8, chance=0.3, offset=60, halfway=30, gaps=12)
    return related(drift=replace(usual, **changes), skills=Skills(plain=skill), acting=acting)


@pytest.mark.parametrize(("way", "left_out"), [(1, "the inputs"), (-1, "the labels")])
def test_rows_that_move_further_and_further_away_are_told(way: int, left_out: str) -> None:
    (evidence,) = found(CHECK, drifted(offset=60 * way, halfway=30 * way))

    assert "by 60 rows in the end: the agreement is 0.80 with those, at most 0.30" in evidence.saw
    assert evidence.likely is not None
    assert evidence.likely.startswith(f"rows were left out of {left_out}")


def test_a_dataset_that_was_not_asked_is_fine() -> None:
    assert found(CHECK, related()) == []


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"along": 0.59}, 0),
        ({"along": 0.6}, 1),
        ({"fit": 0.41}, 0),
        ({"fit": 0.39}, 1),
        ({"chance": 0.61}, 0),
        ({"chance": 0.59}, 1),
        ({"gaps": 3}, 0),
        ({"gaps": 4}, 1),
        ({"halfway": 11}, 0),
        ({"halfway": 12}, 1),
        ({"halfway": 48}, 1),
        ({"halfway": 49}, 0),
        ({"offset": 0, "halfway": 0}, 0),
    ],
)
def test_each_side_of_a_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(CHECK, drifted(**changes))) == times


def test_answers_that_a_plain_fit_foretells_are_in_order() -> None:
    assert len(found(CHECK, drifted(skill=0.49))) == 1
    assert found(CHECK, drifted(skill=0.5)) == []
    assert found(CHECK, drifted(acting=True)) == []
