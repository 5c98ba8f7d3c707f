from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.ranks.wrapper_bypassed import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.program import Wrapped

PAST = Wrapped(step=9, module="Net", site=Site(file="train.py", line=33), through=0, beside=9, world=2)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(PAST, **changes), CHECK.limits))


def test_tells_both_counts() -> None:
    (evidence,) = found()

    assert "is called 9 times in training, its wrapper 0 times" in evidence.saw
    assert evidence.where.line == 33


def test_a_wrapper_that_is_called_is_fine() -> None:
    assert found(through=1) == []


@pytest.mark.parametrize(("world", "times"), [(1, 0), (2, 1)])
def test_a_single_rank_has_nothing_to_share(world: int, times: int) -> None:
    assert len(found(world=world)) == times


@pytest.mark.parametrize(("beside", "times"), [(2, 0), (3, 1)])
def test_each_side_of_calls(beside: int, times: int) -> None:
    assert len(found(beside=beside)) == times
