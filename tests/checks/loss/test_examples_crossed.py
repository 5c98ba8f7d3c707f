import math
from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.examples_crossed import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.taped import CrossedSeen

CROSSED = CrossedSeen(
    operation="mul",
    site=Site(file="train.py", line=51),
    step=8,
    left=(64, 1),
    right=(64,),
    result=(64, 64),
    others=63 / 64,
    looks=2,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(CROSSED, **changes), CHECK.limits))


def test_tells_the_shapes_and_points_at_the_operation() -> None:
    (evidence,) = found()

    assert "`mul` of (64, 1) and (64,) broadcasts to (64, 64)" in evidence.saw
    assert "98.4% of the weight" in evidence.saw
    assert (evidence.where.file, evidence.where.line) == ("train.py", 51)


@pytest.mark.parametrize(("looks", "times"), [(1, 0), (2, 1)])
def test_each_side_of_looks(looks: int, times: int) -> None:
    assert len(found(looks=looks)) == times


@pytest.mark.parametrize("others", [0.0, math.nan])
def test_pairs_without_weight_are_no_illness(others: float) -> None:
    assert not found(others=others)
