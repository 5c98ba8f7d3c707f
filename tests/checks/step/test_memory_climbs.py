from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.memory_climbs import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import PaceTrack

BASE = PaceTrack(
    rank=1,
    step=999,
    steps=1000,
    start_s=0.1,
    level_s=0.1,
    samples=60,
    memory_start=1e9,
    memory_now=3e9,
    memory_rising=1e-9,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == ("memory went from 1.00 GB to 3.00 GB and rises steadily")
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"samples": 19}, 0), ({"samples": 20}, 1)],
)
def test_each_side_of_samples(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"memory_rising": 1.1e-4}, 0), ({"memory_rising": 0.9e-4}, 1)],
)
def test_each_side_of_chance(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"memory_now": 1.29e9}, 0), ({"memory_now": 1.31e9}, 1)],
)
def test_each_side_of_times(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"memory_start": 1e8, "memory_now": 2.49e8}, 0), ({"memory_start": 1e8, "memory_now": 2.51e8}, 1)],
)
def test_each_side_of_bytes(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
