from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.gradients_fading import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import TensorState, TensorTrack

STATE = TensorState(
    name="body.weight",
    matrix=True,
    half=False,
    grad_start=1.0,
    grad_now=1e-9,
    weight_start=10.0,
    weight_now=10.0,
    update_now=1e-3,
    still=0,
    mute=0,
    gone=0,
    lr=0.1,
)
OTHER = replace(STATE, name="head.weight", grad_now=1.0, update_now=1e-3, still=0, mute=0, gone=0, weight_now=10.0)
BASE = TensorTrack(rank=1, step=999, looks=100, tensors=(STATE, OTHER, OTHER), remaining=0.9)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "the gradient of `body.weight` has norm 1e-09 (at the start 1); relative to their size, 1 of 3 matrices get "
        "less than 1e-06 of the best"
    )
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"looks": 24}, 0), ({"looks": 25}, 1)],
)
def test_each_side_of_looks(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"tensors": (replace(STATE, grad_now=1.1e-6), OTHER, OTHER)}, 0),
        ({"tensors": (replace(STATE, grad_now=0.9e-6), OTHER, OTHER)}, 1),
    ],
)
def test_each_side_of_below_best(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"tensors": (replace(OTHER, grad_now=1.1e-3),) * 2}, 0),
        ({"tensors": (replace(OTHER, grad_now=0.9e-3),) * 2}, 1),
    ],
)
def test_each_side_of_fell(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"remaining": 0.49}, 0), ({"remaining": 0.51}, 1)],
)
def test_each_side_of_remaining(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"tensors": (STATE,)}, 0), ({"tensors": (replace(OTHER, grad_now=1e-9),) * 2}, 1)],
)
def test_each_side_of_matrices(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
