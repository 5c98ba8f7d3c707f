from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.checkpoint_does_not_fit import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.restored import Restored

STRANGE = Restored(
    step=0,
    module="Net",
    site=Site(file="train.py", line=28),
    held=10,
    matched=0,
    unexpected=10,
    first_missing="0.weight",
    first_unexpected="module.0.weight",
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(STRANGE, **changes), CHECK.limits))


def test_tells_both_names() -> None:
    (evidence,) = found()

    assert "0 of 10 tensors of `Net` were loaded, 10 were left over" in evidence.saw
    assert "given `module.0.weight`, expected `0.weight`" in evidence.saw


def test_a_state_with_nothing_left_over_is_fine() -> None:
    assert found(unexpected=0) == []


@pytest.mark.parametrize(("matched", "times"), [(5, 0), (4, 1)])
def test_each_side_of_matched(matched: int, times: int) -> None:
    assert len(found(matched=matched)) == times


@pytest.mark.parametrize(("unexpected", "times"), [(9, 0), (10, 1)])
def test_each_side_of_unexpected(unexpected: int, times: int) -> None:
    assert len(found(held=100, matched=10, unexpected=unexpected)) == times
