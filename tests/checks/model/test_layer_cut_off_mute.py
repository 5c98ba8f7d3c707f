from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.layer_cut_off import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import TensorState, TensorTrack

STATE = TensorState(
    name="body.weight",
    matrix=True,
    half=False,
    grad_start=1.0,
    grad_now=0.0,
    weight_start=10.0,
    weight_now=10.0,
    update_now=1e-3,
    still=0,
    mute=20,
    gone=0,
    lr=0.1,
)
OTHER = replace(STATE, name="head.weight", grad_now=1.0, update_now=1e-3, still=0, mute=0, gone=0, weight_now=10.0)
BASE = TensorTrack(rank=1, step=999, looks=100, tensors=(STATE, OTHER), remaining=0.9)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == ("the gradient of `body.weight` has been exactly zero for 20 looks; at the start it was 1")
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    "changes",
    [{"tensors": (replace(STATE, grad_start=0.0), OTHER)}, {"tensors": (STATE, STATE)}],
    ids=["never had one", "all of them: the loss is gone"],
)
def test_it_is_left_alone(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"tensors": (replace(STATE, mute=11), OTHER)}, 0), ({"tensors": (replace(STATE, mute=12), OTHER)}, 1)],
)
def test_each_side_of_looks(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"tensors": (STATE,) * 9 + (OTHER,)}, 0), ({"tensors": (STATE,) * 4 + (OTHER,)}, 1)],
)
def test_each_side_of_alive(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
