from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.updates_ill_sized import CHECK
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
    update_now=1e-8,
    still=0,
    mute=0,
    gone=0,
    lr=0.1,
)
OTHER = replace(STATE, name="head.weight", grad_now=1.0, update_now=1e-3, still=0, mute=0, gone=0, weight_now=10.0)
BASE = TensorTrack(rank=1, step=999, looks=100, tensors=(STATE,), remaining=0.9)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == ("the largest update, of `body.weight`, changes it by 1.0e-08 of its norm")
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    "changes",
    [{"tensors": (STATE, OTHER)}, {"tensors": (replace(STATE, update_now=0.0),)}],
    ids=["another one moves", "does not move at all"],
)
def test_it_is_left_alone(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"looks": 11}, 0), ({"looks": 12}, 1)],
)
def test_each_side_of_looks(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"tensors": (replace(STATE, update_now=1.1e-7),)}, 0), ({"tensors": (replace(STATE, update_now=0.9e-7),)}, 1)],
)
def test_each_side_of_ratio(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"remaining": 0.49}, 0), ({"remaining": 0.51}, 1)],
)
def test_each_side_of_remaining(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"lr_share": 0.09}, 0), ({"lr_share": 0.11}, 1)],
)
def test_each_side_of_lr_share(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
