from typing import Any

import pytest

from firstlight.checks.data.codes_given_anew import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.program import CodesSeen

HERE, THERE = Site(file="train.py", line=9), Site(file="train.py", line=14)


def found(**changes: Any) -> list[Evidence]:
    usual: dict[str, Any] = {"given": "input 0", "column": 2, "how": "factorize", "site": THERE, "trained_site": HERE}
    seen = {"rows": 400, "moved": 300, "kinds": 8, "example": "Ely", "here": 4, "there": 3, "step": 60}
    return list(CHECK.find(CodesSeen(**{**usual, **seen, **changes}), CHECK.limits))


def test_tells_a_category_and_its_two_codes() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "column 2 of `input 0` holds codes from `factorize`, given to the evaluated rows apart from those of line 9: "
        "'Ely' is 4 in training and 3 in evaluation, and 300 of 400 evaluated rows have a code of another category"
    )
    assert evidence.where.line == 14


def test_one_line_that_is_called_for_each_part() -> None:
    (evidence,) = found(trained_site=THERE)

    assert "given to the evaluated rows in a call of their own: 'Ely' is 4" in evidence.saw


@pytest.mark.parametrize(("moved", "times"), [(0, 0), (7, 0), (8, 1)])
def test_each_side_of_moved(moved: int, times: int) -> None:
    assert len(found(moved=moved)) == times


@pytest.mark.parametrize(("kinds", "times"), [(1, 0), (2, 1)])
def test_each_side_of_kinds(kinds: int, times: int) -> None:
    assert len(found(kinds=kinds)) == times


def test_no_rows_at_all() -> None:
    assert found(rows=0, moved=0) == []
