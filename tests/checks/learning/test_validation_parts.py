import random
from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.validation_parts import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import EvalTrack

BASE = EvalTrack(
    rank=1,
    step=999,
    name="val_loss",
    values=(0.9, 0.8, 0.7, 1.0, 1.05, 1.1),
    train=(1.0, 0.7, 0.5, 0.3, 0.2, 0.1),
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "`val_loss` was 0.7 at its best and is 1.1 3 evaluations later, while the training loss went from 0.5 to 0.1"
    )
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    "changes",
    [{"train": (1.0, 0.7, 0.5, 0.6, 0.6, 0.6)}, {"values": (1.0, 0.9, 0.8, 0.7, 0.6, 0.5)}, {"train": (1.0,)}],
    ids=["training rises too", "still falling", "lengths differ"],
)
def test_it_is_left_alone(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"values": (1.0, 0.8, 0.7, 1.0, 1.1), "train": (1.0, 0.7, 0.5, 0.3, 0.2)}, 0),
        ({"values": (0.8, 0.75, 0.7, 1.0, 1.1, 1.1)}, 1),
    ],
)
def test_each_side_of_evaluations(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"values": (0.72, 0.71, 0.7, 0.76, 0.765, 0.769)}, 0), ({"values": (0.72, 0.71, 0.7, 0.76, 0.765, 0.771)}, 1)],
)
def test_each_side_of_worse(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(("last", "times"), [(0.79, 0), (0.81, 1)])
def test_each_side_of_noises(last: float, times: int) -> None:
    uneven = (0.9, 0.8, 0.82, 0.7, last, last, last)
    assert len(found(values=uneven, train=(1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4))) == times


def test_the_best_of_many_noisy_evaluations_is_no_turn() -> None:
    draw = random.Random(0)
    values = tuple(draw.gauss(0.4, 0.05) for _ in range(1000))
    for end in range(64, 1000):
        train = tuple(1 / (step + 1) for step in range(64))
        assert found(values=values[end - 64 : end], train=train) == []
