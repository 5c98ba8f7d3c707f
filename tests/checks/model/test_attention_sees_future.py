from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.attention_sees_future import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.training import Attention

INVERTED = Attention(
    step=3,
    rank=1,
    site=Site(file="model.py", line=22),
    queries=12,
    keys=12,
    sees_past=0.0,
    sees_future=1.0,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(INVERTED, **changes), CHECK.limits))


def test_tells_both_shares() -> None:
    (evidence,) = found()

    assert evidence.saw == "the mask allows 100% of the later and 0% of the earlier positions"
    assert evidence.wanted == "a causal mask that allows the earlier positions and the position itself"
    assert (evidence.where.file, evidence.where.line) == ("model.py", 22)
    assert (evidence.where.step, evidence.where.rank) == (3, 1)
    assert evidence.numbers == {"sees_future": 1.0, "sees_past": 0.0}


@pytest.mark.parametrize(
    ("past", "future"), [(1.0, 0.0), (1.0, 1.0), (0.0, 0.0), (0.4, 0.4)], ids=["causal", "full", "own only", "padding"]
)
def test_other_masks_are_fine(past: float, future: float) -> None:
    assert found(sees_past=past, sees_future=future) == []


@pytest.mark.parametrize(("length", "times"), [(1, 0), (3, 0), (4, 1), (5, 1)])
def test_each_side_of_least_length(length: int, times: int) -> None:
    assert len(found(queries=length, keys=length)) == times
    assert len(found(queries=12, keys=length)) == times


@pytest.mark.parametrize(("share", "times"), [(0.45, 0), (0.89, 0), (0.9, 1), (0.91, 1)])
def test_each_side_of_mostly(share: float, times: int) -> None:
    assert len(found(sees_future=share)) == times


@pytest.mark.parametrize(("share", "times"), [(0.009, 1), (0.01, 1), (0.011, 0), (0.019, 0)])
def test_each_side_of_hardly(share: float, times: int) -> None:
    assert len(found(sees_past=share)) == times
