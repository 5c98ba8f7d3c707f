from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.held_back_at_chance import CHECK
from firstlight.records.places import Site
from firstlight.records.relations import HeldBackScore

SCORE = HeldBackScore(rank=1, name="test accuracy", value=0.2, own=0.95, guess=0.2, site=Site(file="train.py", line=40))


def test_tells_both_scores_and_that_of_a_guess() -> None:
    (evidence,) = CHECK.find(SCORE, CHECK.limits)

    assert evidence.saw == (
        "`test accuracy` is 0.2 at the end, while always predicting the most common class gets 0.2; on its "
        "training labels the program reaches 0.96"
    )
    assert (evidence.where.line, evidence.where.rank) == (40, 1)


def test_a_score_that_is_no_accuracy_is_held_against_a_guess() -> None:
    auc = replace(SCORE, name="test auc", value=0.51, guess=0.5, accuracy=False)

    (evidence,) = CHECK.find(auc, CHECK.limits)

    assert evidence.saw == (
        "`test auc` is 0.51 at the end, while a guess gets 0.5; on its training answers the program reaches 95% of the "
        "way from a guess to being always right"
    )


@pytest.mark.parametrize(
    ("changes", "ill"),
    [
        ({"own": 0.3, "foretold": 0.3}, True),
        ({"own": 0.29, "foretold": 0.3}, False),
        ({"own": 0.3, "foretold": 0.29}, False),
        ({"own": 0.3, "foretold": float("nan")}, False),
        ({"own": 0.8}, True),
        ({"own": 0.79}, False),
        ({"own": float("nan")}, False),
        ({"value": 0.24}, True),
        ({"value": 0.241}, False),
        ({"value": 0.004}, True),
        ({"value": float("nan")}, False),
    ],
)
def test_both_sides_of_each_limit(changes: dict[str, Any], ill: bool) -> None:
    assert bool(list(CHECK.find(replace(SCORE, **changes), CHECK.limits))) is ill
