from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.score_falls_with_loss import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import ScoreTrack

BASE = ScoreTrack(
    rank=1,
    step=999,
    name="val_acc",
    values=(0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1),
    loss="val_loss",
    losses=(0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2),
    improving=1.0,
    agreement=-1.0,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == ("over 8 evaluations `val_loss` went from 0.9 to 0.2, but `val_acc` from 0.8 to 0.1")
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"values": BASE.values[1:], "losses": BASE.losses[1:]}, 0),
        ({"values": (0.9, *BASE.values), "losses": (1.0, *BASE.losses)}, 1),
    ],
)
def test_each_side_of_evaluations(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"improving": 0.79}, 0), ({"improving": 0.8}, 1)],
)
def test_each_side_of_improving(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"agreement": -0.5}, 0), ({"agreement": -0.51}, 1)],
)
def test_each_side_of_agreement(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"losses": (1.0, *BASE.losses[1:7], 0.9)}, 0), ({"losses": (1.0, *BASE.losses[1:7], 0.89)}, 1)],
)
def test_each_side_of_fell(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
