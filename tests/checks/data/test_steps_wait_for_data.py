from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.steps_wait_for_data import CHECK
from firstlight.records.finding import Evidence, Severity
from firstlight.records.live import FeedTrack

BASE = FeedTrack(rank=1, step=999, steps=1000, distinct=100, same=1, wait_share=0.7, step_s=0.5)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == ("70% of a step's 0.5 s is spent waiting for the next batch")
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"wait_share": 0.39}, 0), ({"wait_share": 0.41}, 1)],
)
def test_each_side_of_share(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"step_s": 0.029}, 0), ({"step_s": 0.031}, 1)],
)
def test_each_side_of_shortest_s(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


def test_only_an_accelerator_that_waits_is_a_red_flag() -> None:
    assert found()[0].severity is Severity.NOTE
    assert found(on_device=True)[0].severity is None
