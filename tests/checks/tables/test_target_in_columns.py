from typing import Any

from firstlight.checks.tables.target_in_columns import CHECK
from firstlight.records.finding import Evidence, Severity
from firstlight.records.tables import TargetPower

BASE: dict[str, Any] = {
    "file": "f.csv",
    "target": "y",
    "rows": 500,
    "alone": {"a": 0.98},
    "strongest": ("a",),
    "others": 0.5,
}


def found(**fields: Any) -> list[Evidence]:
    return list(CHECK.find(TargetPower(**(BASE | fields)), CHECK.limits))


def test_one_column_far_ahead_of_all_others() -> None:
    (evidence,) = found()

    assert evidence.saw == "`a` alone predicts `y` with a skill of 0.980; all other columns together reach 0.500"


def test_both_sides_of_the_skill() -> None:
    assert len(found(alone={"a": 0.97})) == 1
    assert found(alone={"a": 0.969}) == []


def test_both_sides_of_the_lead() -> None:
    assert len(found(others=0.88)) == 1
    assert found(others=0.881) == []


def test_a_single_column_has_nothing_to_be_compared_with() -> None:
    assert found(others=None) == []


def test_a_copy_of_the_target_is_told_in_any_case() -> None:
    (evidence,) = found(others=None, copies=("a",))

    assert evidence.saw == "`a` equals the target `y` in every row"


def test_two_columns_together_are_a_warning() -> None:
    fields: dict[str, Any] = {
        "alone": {},
        "strongest": (),
        "others": None,
        "pair": "`b` - `a`",
        "pair_skill": 0.97,
        "pair_others": 0.87,
    }
    (evidence,) = found(**fields)

    assert evidence.saw == "`b` - `a` predicts `y` with a skill of 0.970; all other columns together reach 0.870"
    assert evidence.severity == Severity.WARNING
    assert found(**(fields | {"pair_skill": 0.969, "pair_others": 0.5})) == []
    assert found(**(fields | {"pair_others": 0.871})) == []
    assert found(**(fields | {"pair_others": None})) == []
