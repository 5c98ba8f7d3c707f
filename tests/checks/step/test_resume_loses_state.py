from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.resume_loses_state import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.live import Resumed

BASE = Resumed(rank=1, step=0, name="Adam", parameters=10, without_state=3, mismatched=0, first="head.weight")


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BASE, **changes), CHECK.limits))


def test_tells_what_was_seen_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "of 10 parameters 3 came back without state and 0 with state of another shape; the first is `head.weight`"
    )
    assert evidence.where.rank == 1


@pytest.mark.parametrize(
    "changes",
    [{"without_state": 0}, {"without_state": 10}],
    ids=["all there", "no state at all, as plain SGD"],
)
def test_it_is_left_alone(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


@pytest.mark.parametrize(("momentum", "times"), [(99.0, 0), (101.0, 1), (float("nan"), 0)])
def test_each_side_of_momentum(momentum: float, times: int) -> None:
    assert len(found(without_state=0, momentum=momentum)) == times


def test_a_state_of_another_shape_is_told() -> None:
    assert len(found(without_state=0, mismatched=10)) == 1
