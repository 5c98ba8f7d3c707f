from typing import Any

from firstlight.checks.tables.splits_share_groups import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.tables import SharedGroups

BASE: dict[str, Any] = {"file": "val.csv", "column": "who", "groups": 30, "shared": 0}


def found(**fields: Any) -> list[Evidence]:
    return list(CHECK.find(SharedGroups(**(BASE | fields)), CHECK.limits))


def test_one_shared_group_is_enough() -> None:
    (evidence,) = found(shared=1, examples=("p7",))

    assert evidence.saw == "1 of 30 groups are also in the training data: p7"
    assert found() == []
