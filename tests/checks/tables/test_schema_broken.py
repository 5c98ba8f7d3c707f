from typing import Any

from firstlight.checks.tables.schema_broken import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.tables import Breach, SchemaHeld

BASE: dict[str, Any] = {"file": "new.csv", "schema": "schema.toml"}


def found(**fields: Any) -> list[Evidence]:
    return list(CHECK.find(SchemaHeld(**(BASE | fields)), CHECK.limits))


def test_every_breach_is_told_with_its_rows() -> None:
    (evidence,) = found(breaches=(Breach(column="high", saw="2 rows", wanted="`high >= low`", rows=(3, 9)),))

    assert (evidence.saw, evidence.wanted) == ("2 rows (rows 3, 9)", "`high >= low`, as in schema.toml")
    assert evidence.where.module == "column `high`"
    assert found() == []
