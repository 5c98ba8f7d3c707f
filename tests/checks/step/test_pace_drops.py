from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.pace_drops import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import PaceTrack

BASE = PaceTrack(
    rank=1,
    step=999,
    steps=1000,
    start_s=0.1,
    level_s=0.5,
    samples=60,
    memory_start=1e9,
    memory_now=1e9,
    memory_rising=1e-9,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == ("a step took 0.1 s at first and takes 0.5 s now")
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"level_s": 0.29}, 0), ({"level_s": 0.31}, 1)],
)
def test_each_side_of_times(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"start_s": 0.001, "level_s": 0.019}, 0), ({"start_s": 0.001, "level_s": 0.021}, 1)],
)
def test_each_side_of_shortest_s(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"steps": 299}, 0), ({"steps": 300}, 1)],
)
def test_each_side_of_steps(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
