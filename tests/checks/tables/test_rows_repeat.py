from typing import Any

from firstlight.checks.tables.rows_repeat import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.tables import RepeatedRows

BASE: dict[str, Any] = {"file": "f.csv", "split": "train", "looked": 1000, "exact": 0, "near": 0, "by_chance": 0.0}


def found(**fields: Any) -> list[Evidence]:
    return list(CHECK.find(RepeatedRows(**(BASE | fields)), CHECK.limits))


def test_both_sides_of_the_share() -> None:
    (evidence,) = found(exact=10, pairs=("row 3 and row 7",))

    assert evidence.saw == "1.0% of the rows are copies of earlier ones: row 3 and row 7"
    assert found(exact=9) == []


def test_near_copies_count_too() -> None:
    (evidence,) = found(near=20, pairs=("row 3 and row 7",))

    assert evidence.saw == "2.0% are near copies: row 3 and row 7"


def test_what_few_values_give_by_chance_is_taken_off() -> None:
    assert found(exact=500, by_chance=1.0) == []
    assert len(found(exact=500, by_chance=0.5)) == 1
