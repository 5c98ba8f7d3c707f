from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.weights_run_away import CHECK
from firstlight.records.finding import Evidence, Severity
from firstlight.records.live import TensorState, TensorTrack

STATE = TensorState(
    name="body.weight",
    matrix=True,
    half=False,
    grad_start=1.0,
    grad_now=1.0,
    weight_start=10.0,
    weight_now=100.0,
    update_now=0.01,
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

    assert evidence.saw == ("`body.weight` has grown from norm 10 to 100; 1 of 2 matrices have grown more than 5 times")
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    "changes",
    [{"tensors": (replace(STATE, weight_start=0.0), OTHER)}],
    ids=["began at nothing"],
)
def test_it_is_left_alone(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"tensors": (replace(STATE, weight_now=49.0), OTHER)}, 0),
        ({"tensors": (replace(STATE, weight_now=51.0), OTHER)}, 1),
    ],
)
def test_each_side_of_times(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"tensors": (STATE, OTHER, OTHER)}, 0), ({"tensors": (STATE, STATE, OTHER, OTHER)}, 1)],
)
def test_each_side_of_most(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"tensors": (replace(STATE, update_now=2.9e-3), OTHER)}, 0),
        ({"tensors": (replace(STATE, update_now=3.1e-3), OTHER)}, 1),
    ],
)
def test_each_side_of_update(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("changes", "times"),
    [({"looks": 11}, 0), ({"looks": 12}, 1)],
)
def test_each_side_of_looks(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(("remaining", "severity"), [(0.9, None), (1.1, Severity.WARNING)])
def test_each_side_of_remaining(remaining: float, severity: Severity | None) -> None:
    """Embeddings grow from small beginnings while a model learns."""
    (evidence,) = found(remaining=remaining)

    assert evidence.severity is severity
