from typing import Any

import pytest

from firstlight.checks.data.reading_changes_data import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.stored import KeptReread


def found(**changes: Any) -> list[Evidence]:
    usual: dict[str, Any] = {"name": "Digits", "site": Site(file="train.py", line=40), "examples": 32, "readings": 8}
    seen = {"writes": Site(file="train.py", line=26), "once": 0.12, "often": 0.5, "left": 0.7, "given": 0.4}
    return list(CHECK.find(KeptReread(step=60, **{**usual, **seen, **changes}), CHECK.limits))


def test_tells_which_line_writes_and_how_far_it_goes() -> None:
    (evidence,) = found()

    assert evidence.where.line == 26
    assert evidence.saw == (
        "this line writes into what `Digits` stores whenever an example is read: 32 examples are off by 0.12 of "
        "their usual deviation after one more read, and by 0.50 after 8"
    )


def test_else_the_line_that_gives_an_example() -> None:
    (evidence,) = found(writes=None)

    assert evidence.where.line == 40
    assert evidence.saw.startswith("`Digits` changes what it stores whenever an example is read")


@pytest.mark.parametrize(("often", "times"), [(0.1, 1), (0.09, 0)])
def test_each_side_of_often(often: float, times: int) -> None:
    assert len(found(once=0.01, often=often)) == times


@pytest.mark.parametrize(("once", "times"), [(0.25, 1), (0.26, 0)])
def test_each_side_of_times(once: float, times: int) -> None:
    assert len(found(once=once)) == times


@pytest.mark.parametrize(("left", "times"), [(0.5, 1), (0.51, 0)])
def test_each_side_of_left(left: float, times: int) -> None:
    assert len(found(once=0.5, left=left)) == times


@pytest.mark.parametrize(("given", "times"), [(0.05, 1), (0.049, 0)])
def test_each_side_of_given(given: float, times: int) -> None:
    assert len(found(given=given)) == times
