from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.weights_stand_still import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import TensorState, TensorTrack

STATE = TensorState(
    name="body.weight",
    matrix=True,
    half=False,
    grad_start=1.0,
    grad_now=1.0,
    weight_start=10.0,
    weight_now=10.0,
    update_now=0.0,
    still=10,
    mute=0,
    gone=0,
    lr=0.1,
)
OTHER = replace(STATE, name="head.weight", grad_now=1.0, update_now=1e-3, still=0, mute=0, gone=0, weight_now=10.0)
BASE = TensorTrack(rank=1, step=999, looks=100, tensors=(STATE, OTHER), remaining=0.9)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "1 of 2 parameters have not moved for 10 looks, first `body.weight`, although its gradient has norm 1"
    )
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    "changes",
    [{"tensors": (replace(STATE, grad_now=0.0), OTHER)}, {"tensors": (replace(STATE, lr=0.0), OTHER)}],
    ids=["no gradient", "frozen by its rate"],
)
def test_it_is_left_alone(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"tensors": (replace(STATE, still=5), OTHER)}, 0), ({"tensors": (replace(STATE, still=6), OTHER)}, 1)],
)
def test_each_side_of_looks(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"tensors": (replace(STATE, grad_now=0.9e-4), OTHER)}, 0),
        ({"tensors": (replace(STATE, grad_now=1.1e-4), OTHER)}, 1),
    ],
)
def test_each_side_of_gradient(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"lr_share": 0.009}, 0), ({"lr_share": 0.011}, 1)],
)
def test_each_side_of_lr_share(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


def test_sixteen_bits_point_to_rounding() -> None:
    (evidence,) = found(tensors=(replace(STATE, half=True), OTHER))

    assert evidence.cause == "num-precision"


@pytest.mark.parametrize(("zeros", "times"), [(0.51, 0), (0.49, 1)])
def test_each_side_of_zeros(zeros: float, times: int) -> None:
    assert len(found(tensors=(replace(STATE, grad_zeros=zeros), OTHER))) == times
