from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.validation_at_chance import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import ScoreTrack

BASE = ScoreTrack(
    rank=1,
    step=999,
    name="val_acc",
    values=(0.5, 0.5, 0.4, 0.5, 0.5),
    loss="val_loss",
    losses=(0.7, 0.8, 0.9, 1.0, 1.1),
    improving=-1.0,
    agreement=0.0,
    train=0.1,
    mixture=(0.5, 0.5),
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == "`val_acc` was at most 50.0% at the last 5 evaluations, and the training loss is 0.1"
    assert evidence.wanted == "more than 50.0%, the share of the most common class; a blind guess has a loss of 0.693"
    assert evidence.where.rank == 1


def test_an_accuracy_may_be_told_in_percent() -> None:
    assert len(found(values=(50.0, 50.0, 40.0, 50.0, 50.0))) == 1
    assert found(values=(50.0, 50.0, 40.0, 50.0, 90.0)) == []


@pytest.mark.parametrize(
    "changes",
    [{"mixture": ()}, {"name": "val_f1"}, {"train": float("nan")}, {"mixture": (0.98, 0.02)}],
    ids=["classes unknown", "another score", "no loss", "a rare class, and a loss that only knows so"],
)
def test_it_is_left_alone(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


@pytest.mark.parametrize(("changes", "times"), [({"values": BASE.values[1:]}, 0), ({"values": (0.9, *BASE.values)}, 1)])
def test_each_side_of_evaluations(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(("changes", "times"), [({"values": (0.53,) * 5}, 0), ({"values": (0.51,) * 5}, 1)])
def test_each_side_of_above(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(("changes", "times"), [({"train": 0.35}, 0), ({"train": 0.34}, 1)])
def test_each_side_of_learnt(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
