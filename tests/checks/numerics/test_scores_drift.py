from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.numerics.scores_drift import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import PredictionTrack

BASE = PredictionTrack(
    rank=1,
    step=999,
    looks=10,
    classes=4,
    top_share=0.3,
    true_share=0.3,
    spread=1.0,
    flips=0.0,
    confidence=0.9,
    remaining=0.9,
    score_level=80.0,
    score_rising=1e-5,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "on a fixed batch the log of the softmax denominator has risen to 80, with 90% of the loss left"
    )
    assert evidence.where.rank == 1


@pytest.mark.parametrize(("changes", "times"), [({"score_level": 50.0}, 0), ({"score_level": 50.1}, 1)])
def test_each_side_of_level(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(("changes", "times"), [({"score_rising": 1e-3}, 0), ({"score_rising": 9e-4}, 1)])
def test_each_side_of_chance(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(("changes", "times"), [({"remaining": 0.2}, 0), ({"remaining": 0.21}, 1)])
def test_each_side_of_remaining(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
