from typing import Any

from firstlight.checks.tables.splits_share_rows import CHECK
from firstlight.records.finding import Evidence, Severity
from firstlight.records.tables import SharedRows

BASE: dict[str, Any] = {
    "file": "val.csv",
    "train_file": "train.csv",
    "split": "val",
    "looked": 1000,
    "exact": 0,
    "near": 0,
    "by_chance": 0.0,
}


def found(**fields: Any) -> list[Evidence]:
    return list(CHECK.find(SharedRows(**(BASE | fields)), CHECK.limits))


def test_both_sides_of_the_share() -> None:
    (error,) = found(exact=10, pairs=("row 3 of val and row 7 of train",))
    (warning,) = found(exact=9)

    assert error.saw == "1.00% of its rows also occur in train.csv, and none nearly so: row 3 of val and row 7 of train"
    assert error.severity is None
    assert warning.severity is Severity.WARNING


def test_near_copies_are_a_warning() -> None:
    (evidence,) = found(near=10)

    assert evidence.severity is Severity.WARNING
    assert found(near=9) == []


def test_nothing_shared_or_only_by_chance() -> None:
    assert found() == []
    assert found(exact=900, by_chance=1.0) == []
