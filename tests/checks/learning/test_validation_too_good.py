from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.validation_too_good import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import EvalTrack

BASE = EvalTrack(rank=1, step=999, name="val_loss", values=(0.9, 0.3, 0.2, 0.2), train=(1.0, 0.9, 0.8, 0.8))


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == ("`val_loss` is 0.2 and the training loss 0.8, 3 evaluations in a row")
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    "changes",
    [{"values": (0.9, 0.3, 0.2, -0.2)}, {"lately": (1.0, 0.5, 0.3, 0.25)}],
    ids=["negative", "the training loss falls fast, and is there too"],
)
def test_it_is_left_alone(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"values": (0.3, 0.2), "train": (0.9, 0.8)}, 0), ({"values": (0.3, 0.2, 0.2), "train": (0.9, 0.8, 0.8)}, 1)],
)
def test_each_side_of_evaluations(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"values": (0.9, 0.3, 0.2, 0.41)}, 0), ({"values": (0.9, 0.3, 0.2, 0.39)}, 1)],
)
def test_each_side_of_share(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
