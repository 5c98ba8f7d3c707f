from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.loss_follows_order import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import OrderTrack

BASE = OrderTrack(rank=1, step=999, batches=64, swing=2.0, alike=0.95)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "in three epochs of 64 batches in the same order the loss followed the same curve; its best and worst "
        "eighths differ by 2 times its level"
    )
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"swing": 1.0}, 0), ({"swing": 1.1}, 1)],
)
def test_each_side_of_swing(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"alike": 0.8}, 0), ({"alike": 0.81}, 1)],
)
def test_each_side_of_alike(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
