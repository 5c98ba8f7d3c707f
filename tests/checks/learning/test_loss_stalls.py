from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.loss_stalls import CHECK
from firstlight.records.finding import Evidence, Severity
from firstlight.records.live import LossTrack

BASE = LossTrack(
    rank=1,
    step=999,
    steps=1000,
    start=2.0,
    best=1.5,
    level=1.6,
    noise=0.05,
    trend=(2.0,) * 16,
    rising=0.5,
    flips=0.66,
    same=1,
    spikes=0,
    since_best=1500,
    positive=True,
    rivals=1,
    fed=True,
    warming=False,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == ("the loss is 1.6, and its lowest stretch (1.5) was 1500 steps ago")
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    "changes",
    [{"fed": False}, {"rivals": 2}, {"positive": False}],
    ids=["no loader", "several optimizers", "may be negative"],
)
def test_it_is_left_alone(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"since_best": 999}, 0), ({"since_best": 1000}, 1)],
)
def test_each_side_of_steps(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"level": 0.99}, 0), ({"level": 1.01}, 1)],
)
def test_each_side_of_left(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


def test_it_is_a_note() -> None:
    assert CHECK.severity is Severity.NOTE


@pytest.mark.parametrize(("share", "cause"), [(0.9e-3, "train-schedule"), (1.1e-3, None)])
def test_each_side_of_rate(share: float, cause: str | None) -> None:
    (evidence,) = found(lr_share=share)

    assert evidence.cause == cause
