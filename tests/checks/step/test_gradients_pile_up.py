from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.gradients_pile_up import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import GradientTrack

BASE = GradientTrack(rank=1, step=999, steps=1000, start=1.0, usual=2.0, level=30.0, piled=40, warming=False)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "40 steps in a row used gradients that still held those of earlier steps; their norm went from 1 to 30"
    )
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"piled": 15}, 0), ({"piled": 16}, 1)],
)
def test_each_side_of_steps(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
