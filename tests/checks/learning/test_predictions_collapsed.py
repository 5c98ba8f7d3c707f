from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.predictions_collapsed import CHECK
from firstlight.records.declared import Predictions
from firstlight.records.finding import Evidence

ILL = Predictions(
    split="val",
    examples=100,
    classes=None,
    predicted_classes=None,
    majority_share=None,
    target_std=10.0,
    prediction_std=0.01,
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

    assert "predictions on `val` have a spread of 0.01 (3 different values), while the targets have 10" in evidence.saw
    assert "at least 0.5% of the targets' spread" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "data-scale"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"prediction_std": 0.049}, 1),
        ({"prediction_std": 0.051}, 0),
        ({"linear_correlation": 0.011}, 1),
        ({"linear_correlation": 0.009}, 0),
        ({"examples": 31}, 0),
        ({"nonfinite": 1}, 0),
        ({"target_std": 0.0}, 0),
        ({"classes": 3, "predicted_classes": 1}, 1),
        ({"classes": 3, "predicted_classes": 2}, 0),
        ({"classes": 1, "predicted_classes": 1}, 0),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


def test_a_majority_that_large_is_the_best_early_answer() -> None:
    (evidence,) = found(classes=3, predicted_classes=1, majority_share=0.91)

    assert (evidence.severity, evidence.cause) == ("note", "data-imbalance")
    assert found(classes=3, predicted_classes=1, majority_share=0.9)[0].severity is None
