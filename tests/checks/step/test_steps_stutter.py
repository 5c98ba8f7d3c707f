from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.steps_stutter import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import PaceTrack

BASE = PaceTrack(
    rank=1,
    step=999,
    steps=1000,
    start_s=0.1,
    level_s=0.1,
    samples=0,
    memory_start=0.0,
    memory_now=0.0,
    memory_rising=1.0,
    stutters=20,
    stutters_s=50.0,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "20 of the last thousand steps took at least five times the usual 0.1 s, and 50 s were lost in all"
    )
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"stutters": 10}, 0), ({"stutters": 11}, 1)],
)
def test_each_side_of_stutters(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"stutters_s": 25.0}, 0), ({"stutters_s": 25.1}, 1)],
)
def test_each_side_of_share(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"stutters_s": 5.0, "level_s": 0.001}, 0), ({"stutters_s": 5.1, "level_s": 0.001}, 1)],
)
def test_each_side_of_lost_s(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
