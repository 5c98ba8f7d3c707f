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
    grad_now=1.0,
    weight_start=10.0,
    weight_now=10.0,
    update_now=1e-3,
    still=0,
    mute=0,
    gone=10,
    lr=0.1,
)
OTHER = replace(STATE, name="head.weight", grad_now=1.0, update_now=1e-3, still=0, mute=0, gone=0, weight_now=10.0)
BASE = TensorTrack(rank=1, step=999, looks=100, tensors=(STATE, OTHER), remaining=0.9)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "1 of 2 parameters, first `body.weight`, once had gradients and have had none for the last 10 looks"
    )
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    "changes",
    [{"tensors": (STATE, STATE)}],
    ids=["all of them"],
)
def test_it_is_left_alone(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"tensors": (replace(STATE, gone=5), OTHER)}, 0), ({"tensors": (replace(STATE, gone=6), OTHER)}, 1)],
)
def test_each_side_of_looks(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"tensors": (replace(STATE, gone=19, absent=0.5), OTHER)}, 0),
        ({"tensors": (replace(STATE, gone=20, absent=0.5), OTHER)}, 1),
    ],
)
def test_each_side_of_chance(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
