from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.predictions_exploded import CHECK
from firstlight.records.declared import Predictions
from firstlight.records.finding import Evidence

ILL = Predictions(
    split="val",
    examples=100,
    classes=None,
    predicted_classes=None,
    majority_share=None,
    target_std=10.0,
    prediction_std=5000.0,
    unique=3,
    nonfinite=0,
    correlation=0.5,
    rank_correlation=0.5,
    linear_correlation=None,
    learnt=True,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "predictions on `val` have a spread of 5e+03 where the targets have 10" in evidence.saw
    assert "at most 100 times" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "hp-lr-high"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"prediction_std": 1001.0}, 1),
        ({"prediction_std": 999.0}, 0),
        ({"prediction_std": 1.0, "nonfinite": 1}, 1),
        ({"classes": 3}, 0),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
