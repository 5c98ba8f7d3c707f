from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.loss_spikes import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import LossTrack

BASE = LossTrack(
    rank=1,
    step=999,
    steps=1000,
    start=2.0,
    best=1.9,
    level=0.2,
    noise=0.05,
    trend=(2.0,) * 16,
    rising=0.5,
    flips=0.66,
    same=1,
    spikes=5,
    since_best=10,
    positive=True,
    rivals=1,
    fed=True,
    warming=False,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "5 times in the last thousand steps the loss rose above its starting value 2 from about 0.2, and came back"
    )
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    "changes",
    [{"fed": False}, {"rivals": 2}],
    ids=["no loader", "several optimizers"],
)
def test_it_is_left_alone(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"spikes": 2}, 0), ({"spikes": 3}, 1)],
)
def test_each_side_of_spikes(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
