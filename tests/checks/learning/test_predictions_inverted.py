from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.predictions_inverted import CHECK
from firstlight.records.declared import Predictions
from firstlight.records.finding import Evidence

ILL = Predictions(
    split="val",
    examples=100,
    classes=None,
    predicted_classes=None,
    majority_share=None,
    target_std=10.0,
    prediction_std=10.0,
    unique=3,
    nonfinite=0,
    correlation=-0.8,
    rank_correlation=-0.8,
    linear_correlation=None,
    learnt=True,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert (
        "predictions and targets on `val` have a correlation of -0.80 (-0.80 by rank) over 100 examples" in evidence.saw
    )
    assert "a positive correlation" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "data-split-shift"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"correlation": -0.51}, 1),
        ({"correlation": -0.49}, 0),
        ({"rank_correlation": -0.49}, 0),
        ({"examples": 10_000, "correlation": -0.21}, 1),
        ({"examples": 10_000, "correlation": -0.19}, 0),
        ({"learnt": False}, 0),
        ({"correlation": None}, 0),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
