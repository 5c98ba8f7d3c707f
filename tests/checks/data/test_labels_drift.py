from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.labels_drift import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import LabelTrack

BASE = LabelTrack(rank=1, step=999, batches=500, classes=4, apart=0.6, chance=1e-30, alone=0.5, commonest=2)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "60% of the labels of the last fifty batches would have to change to match those before; class 2 is the most "
        "overrepresented; 50% of those batches hold only one class"
    )
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"chance": 1e-6}, 0), ({"chance": 9e-7}, 1)],
)
def test_each_side_of_chance(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"apart": 0.3}, 0), ({"apart": 0.31}, 1)],
)
def test_each_side_of_apart(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
