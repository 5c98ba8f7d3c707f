from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.run.disk_runs_full import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import RoomTrack

BASE = RoomTrack(rank=1, step=200, free=1e6, checkpoint=5e6, path="runs")


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == "1 MB are free in runs; a checkpoint of weights and optimizer state takes 5 MB"
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"free": 5e6}, 0), ({"free": 4.9e6}, 1)],
)
def test_each_side_of_checkpoints(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
