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
    update_now=0.8,
    still=0,
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
        "an update changes `body.weight` by 0.8 of its norm; 1 of 2 weight matrices change too much"
    )
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    "changes",
    [{"tensors": (replace(STATE, matrix=False), OTHER)}],
    ids=["not a matrix"],
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
    [
        ({"tensors": (replace(STATE, update_now=0.29), OTHER)}, 0),
        ({"tensors": (replace(STATE, update_now=0.31), OTHER)}, 1),
    ],
)
def test_each_side_of_ratio(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"tensors": (STATE, OTHER, OTHER)}, 0), ({"tensors": (STATE, STATE, OTHER, OTHER)}, 1)],
)
def test_each_side_of_most(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
