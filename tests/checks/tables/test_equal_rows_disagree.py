from typing import Any

from firstlight.checks.tables.equal_rows_disagree import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.tables import RepeatedRows

BASE: dict[str, Any] = {"file": "f.csv", "split": "train", "looked": 1000, "exact": 0, "near": 0, "by_chance": 0.0}


def found(**fields: Any) -> list[Evidence]:
    return list(CHECK.find(RepeatedRows(**(BASE | fields)), CHECK.limits))


def test_both_sides_of_the_share() -> None:
    (evidence,) = found(disagreeing=10, disagreements=("row 1 and row 2",))

    assert evidence.saw == "10 of 1,000 rows have the inputs of another row, but a different target: row 1 and row 2"
    assert found(disagreeing=9) == []


def test_without_a_target_or_by_chance_nothing_is_said() -> None:
    assert found(disagreeing=None) == []
    assert found(disagreeing=900, by_chance=1.0) == []
