from typing import Any

import pytest

from firstlight.checks.data.fitted_on_evaluated import CHECK
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import Site
from firstlight.records.program import FitSeen


def found(**changes: Any) -> list[Evidence]:
    usual: dict[str, Any] = {"number": 0, "name": "SelectKBest", "answers": True, "fitted": 400}
    seen = {"inside": 100, "outside": 0, "site": Site(file="train.py", line=9), "step": 60}
    return list(CHECK.find(FitSeen(**{**usual, **seen, **changes}), CHECK.limits))


def test_tells_whose_answers_went_into_it() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "`SelectKBest` is fitted with the targets of 400 rows; they include 100 of the 100 rows that went through it "
        "and are only evaluated"
    )
    assert (evidence.where.line, evidence.severity, evidence.cause) == (9, None, None)


def test_a_fit_without_answers_is_a_note_of_another_cause() -> None:
    (evidence,) = found(answers=False, name="StandardScaler")

    assert evidence.saw.startswith("`StandardScaler` is fitted on 400 rows; ")
    assert (evidence.severity, evidence.cause) == (Severity.NOTE, "data-leak-split")


@pytest.mark.parametrize(("outside", "times"), [(11, 1), (12, 0), (100, 0)])
def test_each_side_of_share(outside: int, times: int) -> None:
    assert len(found(outside=outside)) == times


@pytest.mark.parametrize(("inside", "times"), [(0, 0), (15, 0), (16, 1)])
def test_each_side_of_evaluated(inside: int, times: int) -> None:
    assert len(found(inside=inside)) == times
