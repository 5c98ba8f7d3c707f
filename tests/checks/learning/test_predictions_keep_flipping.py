from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.predictions_keep_flipping import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import PredictionTrack

BASE = PredictionTrack(
    rank=1,
    step=999,
    looks=20,
    classes=4,
    top_share=0.3,
    true_share=0.3,
    spread=1.0,
    flips=0.5,
    confidence=0.9,
    remaining=0.4,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "50% of the predictions on the fixed batch change from look to look, although only 40% of the loss is left"
    )
    assert evidence.where.rank == 1


@pytest.mark.parametrize(("changes", "times"), [({"looks": 9}, 0), ({"looks": 10}, 1)])
def test_each_side_of_looks(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(("changes", "times"), [({"flips": 0.3}, 0), ({"flips": 0.31}, 1)])
def test_each_side_of_flips(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(("changes", "times"), [({"remaining": 0.71}, 0), ({"remaining": 0.7}, 1)])
def test_each_side_of_remaining(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
