from typing import Any

import pytest
from msgspec.structs import replace
from tests.checks.data.relating import found, related

from firstlight.checks.data.classes_held_back import CHECK
from firstlight.records.relations import Drawn, Relations


def drawn(**changes: Any) -> Relations:
    return related(drawn=replace(Drawn(loaded=500, classes=10, most=3, of_most=1.0, of_others=0.02), **changes))


def test_both_shares_are_told() -> None:
    (evidence,) = found(CHECK, drawn())

    assert evidence.saw.startswith(
        "of 500 examples loaded, 100% of class 3 are trained on, but only 2.0% of the 9 other"
    )
    assert evidence.where.line == 20


@pytest.mark.parametrize(("loaded", "times"), [(99, 0), (100, 1)])
def test_each_side_of_loaded(loaded: int, times: int) -> None:
    assert len(found(CHECK, drawn(loaded=loaded))) == times


@pytest.mark.parametrize(("share", "times"), [(0.49, 0), (0.5, 1)])
def test_each_side_of_of_most(share: float, times: int) -> None:
    assert len(found(CHECK, drawn(of_most=share))) == times


@pytest.mark.parametrize(("share", "times"), [(0.0, 0), (0.2, 1), (0.21, 0), (float("nan"), 0)])
def test_each_side_of_of_others(share: float, times: int) -> None:
    assert len(found(CHECK, drawn(of_others=share))) == times
