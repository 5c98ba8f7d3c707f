from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.predictions_collapse import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import PredictionTrack

BASE = PredictionTrack(
    rank=1,
    step=999,
    looks=10,
    classes=4,
    top_share=1.0,
    true_share=0.3,
    spread=1.0,
    flips=0.0,
    confidence=0.9,
    remaining=0.9,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == ("100% of the predictions are one class of 4")
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    "changes",
    [{"classes": 1}],
    ids=["one class in the batch"],
)
def test_it_is_left_alone(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"top_share": 0.97}, 0), ({"top_share": 0.98}, 1)],
)
def test_each_side_of_share(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"top_share": 0.98, "true_share": 0.76}, 0), ({"top_share": 0.98, "true_share": 0.75}, 1)],
)
def test_each_side_of_beyond(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"looks": 5}, 0), ({"looks": 6}, 1)],
)
def test_each_side_of_looks(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"classes": 0, "spread": 0.0051}, 0), ({"classes": 0, "spread": 0.0049}, 1)],
)
def test_each_side_of_spread(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
