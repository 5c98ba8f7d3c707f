from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.token_order_ignored import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.symmetry import Order, Symmetry

SITE = Site(file="train.py", line=30)
ORDER = Order(layer="encoder", swapped=1e-8, replaced=0.2)
BAG = Symmetry(step=0, site=SITE, again=0.0, order=ORDER)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BAG, **changes), CHECK.limits))


def test_tells_both_changes() -> None:
    (evidence,) = found()

    assert "changes the output by 1e-08, replacing one of them by 20.0%" in evidence.saw


def test_models_without_attention_are_not_asked() -> None:
    assert found(order=None) == []


@pytest.mark.parametrize(("swapped", "times"), [(1.1e-5, 0), (1e-5, 1)])
def test_each_side_of_swapped(swapped: float, times: int) -> None:
    assert len(found(order=replace(ORDER, swapped=swapped))) == times


@pytest.mark.parametrize(("replaced", "times"), [(9e-4, 0), (1e-3, 1)])
def test_each_side_of_replaced(replaced: float, times: int) -> None:
    assert len(found(order=replace(ORDER, replaced=replaced))) == times


@pytest.mark.parametrize(("again", "times"), [(1.1e-6, 0), (1e-6, 1)])
def test_each_side_of_again(again: float, times: int) -> None:
    assert len(found(again=again)) == times
