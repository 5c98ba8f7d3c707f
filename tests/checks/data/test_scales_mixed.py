from typing import Any

import pytest
from msgspec.structs import replace
from tests.checks.data.relating import found, related

from firstlight.checks.data.scales_mixed import CHECK
from firstlight.records.relations import Pocket, Relations

POCKET = Pocket(name="input 0", column=3, rows=200, of=1000, factor=1000.0, gap=400.0)


def pocket(**changes: Any) -> Relations:
    return related(pockets=(replace(POCKET, **changes),))


def test_tells_the_column_and_how_many() -> None:
    (evidence,) = found(CHECK, pocket())

    assert evidence.saw == (
        "200 of 1,000 examples have values in column 3 of `input 0` 1,000 times larger than the others, "
        "with nothing in between"
    )
    assert evidence.cause is None


def test_whole_rows_may_be_smaller() -> None:
    (evidence,) = found(CHECK, pocket(column=None, factor=1 / 255))

    assert "values in `input 0` 255 times smaller" in evidence.saw


@pytest.mark.parametrize(("gap", "times"), [(19.0, 0), (20.0, 1), (float("nan"), 0)])
def test_each_side_of_gap(gap: float, times: int) -> None:
    assert len(found(CHECK, pocket(gap=gap))) == times


@pytest.mark.parametrize(("rows", "cause"), [(4, "data-outlier"), (5, None)])
def test_each_side_of_rows(rows: int, cause: str | None) -> None:
    (evidence,) = found(CHECK, pocket(rows=rows, of=20))

    assert evidence.cause == cause


@pytest.mark.parametrize(("rows", "cause"), [(100, "data-outlier"), (101, None)])
def test_each_side_of_pocket(rows: int, cause: str | None) -> None:
    (evidence,) = found(CHECK, pocket(rows=rows))

    assert evidence.cause == cause


@pytest.mark.parametrize(("gap", "times"), [(99.0, 0), (100.0, 1)])
def test_each_side_of_far_gap(gap: float, times: int) -> None:
    assert len(found(CHECK, pocket(rows=1, gap=gap))) == times


def test_answers_of_a_model_that_acts_are_its_own_doing() -> None:
    assert found(CHECK, related(pockets=(replace(POCKET, name="answer"),), acting=True)) == []
    assert len(found(CHECK, related(pockets=(POCKET,), acting=True))) == 1


def test_one_scale_is_fine() -> None:
    assert found(CHECK, related()) == []
