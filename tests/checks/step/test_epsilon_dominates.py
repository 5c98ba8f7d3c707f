from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.epsilon_dominates import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import MomentState, MomentTrack

STATE = MomentState(name="body.weight", pace=8.0, drowned=0.9, zeros=0.0)
OTHER = MomentState(name="head.weight", pace=1.0, drowned=0.0, zeros=0.0)
BASE = MomentTrack(
    rank=1, step=999, looks=50, beta=0.999, epsilon=1e-8, tensors=(STATE, OTHER), remaining=0.9, falling=0.0
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "the gradients of 90% of `body.weight` are below ten times Adam's epsilon, 1e-08; 1 of 2 weight matrices "
        "are affected"
    )
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"looks": 7}, 0), ({"looks": 8}, 1)],
)
def test_each_side_of_looks(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"tensors": (replace(STATE, drowned=0.2),)}, 0), ({"tensors": (replace(STATE, drowned=0.21),)}, 1)],
)
def test_each_side_of_share(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"tensors": (STATE, OTHER, OTHER)}, 0), ({"tensors": (STATE, STATE, OTHER, OTHER)}, 1)],
)
def test_each_side_of_most(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"remaining": 0.5}, 0), ({"remaining": 0.51}, 1)],
)
def test_each_side_of_remaining(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"epsilon": 1e-5}, 0), ({"epsilon": 1e-6}, 1)],
)
def test_each_side_of_epsilon(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
