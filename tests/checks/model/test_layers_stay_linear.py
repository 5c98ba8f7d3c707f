from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.layers_stay_linear import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.symmetry import Straight, Symmetry

SITE = Site(file="train.py", line=30)
STRAIGHT = Straight(bend=1e-7, first="into", second="out", width=64, least=3)
LINEAR = Symmetry(step=0, site=SITE, again=0.0, straight=STRAIGHT)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(LINEAR, **changes), CHECK.limits))


def test_names_both_layers() -> None:
    (evidence,) = found()

    assert "although `out` works on the output of `into`" in evidence.saw


def test_a_model_of_one_layer_is_not_asked() -> None:
    assert found(straight=None) == []


@pytest.mark.parametrize(("bend", "times"), [(1.1e-4, 0), (1e-4, 1)])
def test_each_side_of_bend(bend: float, times: int) -> None:
    assert len(found(straight=replace(STRAIGHT, bend=bend))) == times


@pytest.mark.parametrize(("width", "times"), [(2, 0), (3, 1)])
def test_a_narrow_middle_is_a_choice(width: int, times: int) -> None:
    assert len(found(straight=replace(STRAIGHT, width=width))) == times


@pytest.mark.parametrize(("again", "times"), [(1.1e-6, 0), (1e-6, 1)])
def test_each_side_of_again(again: float, times: int) -> None:
    assert len(found(again=again)) == times
