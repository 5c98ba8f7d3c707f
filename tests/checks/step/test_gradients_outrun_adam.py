from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.gradients_outrun_adam import CHECK
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
        "for three looks the gradient of `body.weight` has been 8 times what Adam divides it by; 1 of 2 weight "
        "matrices are affected"
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
    [({"tensors": (replace(STATE, pace=5.0),)}, 0), ({"tensors": (replace(STATE, pace=5.1),)}, 1)],
)
def test_each_side_of_pace(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"tensors": (replace(STATE, zeros=0.11),)}, 0), ({"tensors": (replace(STATE, zeros=0.1),)}, 1)],
)
def test_each_side_of_zeros(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(("changes", "times"), [({"falling": 0.06}, 0), ({"falling": 0.05}, 1)])
def test_each_side_of_falling(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
