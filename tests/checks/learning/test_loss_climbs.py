from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.loss_climbs import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import LossTrack

BASE = LossTrack(
    rank=1,
    step=999,
    steps=1000,
    start=2.0,
    best=1.9,
    level=3.0,
    noise=0.05,
    trend=tuple(2.0 + i / 16 for i in range(17)),
    rising=1e-5,
    flips=0.66,
    same=1,
    spikes=0,
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

    assert evidence.saw == ("the loss started at 2, is at 3 after 1000 steps, and is rising")
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    "changes",
    [{"fed": False}, {"rivals": 2}, {"warming": True}, {"start": 0.0}],
    ids=["no loader", "several optimizers", "the rate still rises", "no start"],
)
def test_it_is_left_alone(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"steps": 63}, 0), ({"steps": 64}, 1)],
)
def test_each_side_of_steps(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"rising": 2e-3}, 0), ({"rising": 0.9e-3}, 1)],
)
def test_each_side_of_chance(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"level": 2.39}, 0), ({"level": 2.41}, 1)],
)
def test_each_side_of_above_start(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"noise": 0.34}, 0), ({"noise": 0.33}, 1)],
)
def test_each_side_of_noises(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


def test_a_loss_that_had_fallen_first_points_to_the_rate() -> None:
    (evidence,) = found(best=1.0)

    assert evidence.cause == "hp-lr-high"


NEGATED = {"negated": "mse_loss", "start": -1.0, "level": -5.0, "fed": False}


def test_a_negated_loss_that_falls_is_the_sign() -> None:
    (evidence,) = found(**NEGATED)
    assert evidence.cause == "loss-sign"
    assert evidence.saw == (
        "`backward` is called on the negative of `mse_loss`, which has gone from -1 to -5: the loss itself climbs"
    )


@pytest.mark.parametrize(
    "changes",
    [{"level": -0.5}, {"rivals": 2}, {"steps": 15}, {"level": float("nan")}],
    ids=["comes back", "a rival", "too few", "not a number"],
)
def test_a_negated_loss_is_left_alone(changes: dict[str, Any]) -> None:
    assert found(**{**NEGATED, **changes}) == []
