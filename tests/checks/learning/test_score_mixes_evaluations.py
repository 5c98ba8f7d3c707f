from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.score_mixes_evaluations import CHECK
from firstlight.records.carried import ScoreCarried
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

MIXED = ScoreCarried(
    step=16,
    rank=0,
    site=Site(file="train.py", line=78),
    of_examples=False,
    counted=132.0,
    own=47.0,
    evaluations=3,
    times=2,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(MIXED, **changes), CHECK.limits))


def test_says_how_much_of_it_is_its_own() -> None:
    (one,) = found()

    assert one.saw == (
        "the score is made of a sum of 132, of which this evaluation gave 47; the rest comes from the 2 "
        "evaluations before it, with earlier weights"
    )
    assert one.where.line == 78


def test_counts_examples() -> None:
    (one,) = found(of_examples=True, counted=240.0, own=80.0)

    assert "made of 240 examples, of which this evaluation gave 80" in one.saw


@pytest.mark.parametrize("of_examples", [True, False])
def test_once_may_be_by_chance(of_examples: bool) -> None:
    assert found(of_examples=of_examples, times=1) == []
