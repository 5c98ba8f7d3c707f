from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.clip_out_of_place import CHECK
from firstlight.records.facts import ClipOrder
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

SCALED = ClipOrder(
    rank=1,
    site=Site(file="train.py", line=23),
    times=30,
    first_step=0,
    late=0,
    scaled=30,
    max_norm=1.0,
    median_norm=86_200.0,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(SCALED, **changes), CHECK.limits))


def test_tells_the_limit_and_the_norm_it_met() -> None:
    (evidence,) = found()

    assert evidence.saw == "30 of 30 clippings to 1 met scaled gradients of norm 8.62e+04"
    assert evidence.wanted == "`scaler.unscale_(optimizer)` before the clipping"
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 23, 1)


def test_unscaled_gradients_are_fine() -> None:
    assert found(scaled=0, median_norm=1.3) == []


@pytest.mark.parametrize(("scaled", "times"), [(14, 0), (15, 1), (16, 1)])
def test_each_side_of_share(scaled: int, times: int) -> None:
    assert len(found(scaled=scaled, times=30)) == times
