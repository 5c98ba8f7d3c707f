from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.batches_go_stale import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import FeedTrack

BASE = FeedTrack(rank=1, step=999, steps=1000, distinct=100, same=50, wait_share=0.0, step_s=0.5)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "the last 50 steps were fed the same batch; before that, there were at least 100 different ones"
    )
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"same": 19}, 0), ({"same": 20}, 1)],
)
def test_each_side_of_steps(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"distinct": 4}, 0), ({"distinct": 5}, 1)],
)
def test_each_side_of_distinct(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
