from firstlight.checks.tables.values_nonfinite import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.tables import ColumnSeen, TableSeen


def found(column: ColumnSeen, rows: int = 1000, split: str = "train") -> list[Evidence]:
    table = TableSeen(file="train.csv", split=split, rows=rows, sampled=rows, columns=(column,))
    return list(CHECK.find(table, CHECK.limits))


def test_an_infinite_value_is_told_with_its_row() -> None:
    (evidence,) = found(ColumnSeen(name="a", kind="number", infinite=2, first_infinite=17))

    assert evidence.saw == "infinite in 2 of 1,000 rows, first in row 17"
    assert (evidence.where.file, evidence.where.module) == ("train.csv", "column `a`")


def test_missing_targets_are_told_and_missing_inputs_are_not() -> None:
    (evidence,) = found(ColumnSeen(name="y", kind="whole", role="target", missing=3))

    assert "missing in 3 of 1,000 rows" in evidence.saw
    assert found(ColumnSeen(name="a", kind="whole", missing=3)) == []
