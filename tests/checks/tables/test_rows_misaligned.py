from typing import Any

from firstlight.checks.tables.rows_misaligned import CHECK
from firstlight.records.finding import Evidence, Severity
from firstlight.records.tables import TargetFit

BASE: dict[str, Any] = {
    "file": "f.csv",
    "target": "y",
    "rows": 2500,
    "skill": 0.0,
    "without": 0.0,
    "shifted": {1: 0.9, -1: 0.0},
}


def found(**fields: Any) -> list[Evidence]:
    return list(CHECK.find(TargetFit(**(BASE | fields)), CHECK.limits))


def test_a_target_that_fits_another_row_is_an_error() -> None:
    (evidence,) = found()

    assert evidence.saw == "a skill of 0.00 on the row's own target, but 0.90 on the target of row +1"
    assert evidence.severity is None


def test_both_sides_of_the_shifted_skill() -> None:
    (told,) = found(shifted={2: 0.3})
    (noted,) = found(shifted={2: 0.29})

    assert told.severity is None
    assert noted.severity is Severity.NOTE


def test_a_forecast_is_no_misalignment() -> None:
    assert found(forecast=True) == []


def test_what_is_learnt_from_the_row_itself_is_aligned() -> None:
    assert len(found(skill=0.08)) == 1
    assert found(skill=0.081) == []
    assert len(found(skill=0.28, without=0.2, shifted={})) == 1


def test_both_sides_of_the_least_rows() -> None:
    assert len(found(rows=200)) == 1
    assert found(rows=199) == []
