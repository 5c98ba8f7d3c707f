from typing import Any

from firstlight.checks.tables.training_knows_future import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.tables import SharedTimes

BASE: dict[str, Any] = {
    "file": "val.csv",
    "split": "val",
    "column": "when",
    "first": "2024-03-01",
    "latest_trained": "2024-04-01",
}


def found(**fields: Any) -> list[Evidence]:
    return list(CHECK.find(SharedTimes(**(BASE | fields)), CHECK.limits))


def test_both_sides_of_the_share() -> None:
    (evidence,) = found(later_share=0.01)

    assert evidence.saw.startswith("1.0% of the training rows are not before 2024-03-01, where val begins")
    assert found(later_share=0.009) == []
