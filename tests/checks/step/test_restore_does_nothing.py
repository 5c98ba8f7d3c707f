from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.restore_does_nothing import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.restored import Restored

KEPT = Restored(
    step=40, module="Net", site=Site(file="train.py", line=28), held=6, matched=6, unexpected=0, own=6, steps=12
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(KEPT, **changes), CHECK.limits))


def test_tells_what_is_the_same_memory() -> None:
    (evidence,) = found()

    assert "6 of 6 tensors given to `load_state_dict` share memory with the model, 12 steps after" in evidence.saw
    assert evidence.where.line == 28


def test_a_copy_is_fine() -> None:
    assert found(own=0) == []


@pytest.mark.parametrize(("steps", "times"), [(0, 0), (1, 1)])
def test_each_side_of_steps(steps: int, times: int) -> None:
    assert len(found(steps=steps)) == times


@pytest.mark.parametrize(("own", "times"), [(2, 0), (3, 1)])
def test_each_side_of_own(own: int, times: int) -> None:
    assert len(found(own=own)) == times
