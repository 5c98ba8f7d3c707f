from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.place_in_batch_matters import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.symmetry import Symmetry

SITE = Site(file="train.py", line=30)
BY_ROW = Symmetry(step=0, site=SITE, again=0.0, placed=0.4)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BY_ROW, **changes), CHECK.limits))


def test_tells_the_change() -> None:
    (evidence,) = found()

    assert "their outputs change by 40.0%" in evidence.saw
    assert evidence.where.line == 30


@pytest.mark.parametrize(("placed", "times"), [(None, 0), (9e-4, 0), (1e-3, 1)])
def test_each_side_of_placed(placed: float | None, times: int) -> None:
    assert len(found(placed=placed)) == times


@pytest.mark.parametrize(("again", "times"), [(1.1e-6, 0), (1e-6, 1)])
def test_each_side_of_again(again: float, times: int) -> None:
    assert len(found(again=again)) == times
