from typing import Any

import pytest
from msgspec.structs import replace
from tests.checks.data.relating import found, related

from firstlight.checks.data.labels_contradicted import CHECK
from firstlight.records.doubts import Doubted, Doubts
from firstlight.records.finding import Evidence

NOISY = Doubts(
    rows=640,
    skill=0.8,
    wrong=0.2,
    sure=160,
    wrong_when_sure=0.2,
    sides=1.0,
    doubtful=(
        Doubted(place=3, given=1, expected=4, probability=0.97),
        Doubted(place=9, given=0, expected=2, probability=0.9),
    ),
)


def told(acting: bool = False, left_when_sure: float = 0.0, **changes: Any) -> list[Evidence]:
    more: dict[str, Any] = {"acting": acting, "left_when_sure": left_when_sure}
    return found(CHECK, related(doubts=replace(NOISY, **changes), doubted=((2, 5, 871), (7, 1, -1)), **more))


def test_tells_shares_and_the_most_doubtful_where_they_are_known() -> None:
    (evidence,) = told()

    assert (
        "20% of 160 have another class, as do 20% of all 640; row 871 of the dataset is 1, expected 4" in evidence.saw
    )
    assert evidence.numbers["doubtful_2"] == "row 1 of the batch of step 7 is 0, expected 2"
    assert (evidence.where.line, evidence.where.rank) == (20, 1)


@pytest.mark.parametrize(
    ("changes", "severity"),
    [
        ({"skill": 0.5}, "warning"),
        ({"skill": 0.49}, None),
        ({"skill": float("nan")}, None),
        ({"sides": 0.6}, "warning"),
        ({"sides": 0.59}, None),
        ({"wrong": 0.05, "wrong_when_sure": 0.05}, "note"),
        ({"sure": 1000, "wrong": 0.03, "wrong_when_sure": 0.03}, "note"),
        ({"sure": 1000, "wrong": 0.03, "wrong_when_sure": 0.029}, None),
        ({"wrong": 0.1, "wrong_when_sure": 0.1}, "warning"),
        ({"wrong": 0.1, "wrong_when_sure": 0.099}, "note"),
        ({"wrong": 0.285}, "warning"),
        ({"wrong": 0.287}, "note"),
        ({"wrong": 0.33}, "note"),
        ({"wrong": 0.34}, None),
        ({"sure": 40}, "warning"),
        ({"sure": 37}, None),
        ({"acting": True}, None),
        ({"left_when_sure": 0.049}, "warning"),
        ({"left_when_sure": 0.05}, "note"),
        ({"left_when_sure": float("nan")}, "warning"),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], severity: str | None) -> None:
    """None where nothing is said."""
    assert [evidence.severity for evidence in told(**changes)] == ([severity] if severity else [])
