from firstlight.checks.tables.columns_number_rows import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.tables import ColumnSeen, TableSeen


def found(column: ColumnSeen, rows: int = 1000, split: str = "train") -> list[Evidence]:
    table = TableSeen(file="train.csv", split=split, rows=rows, sampled=rows, columns=(column,))
    return list(CHECK.find(table, CHECK.limits))


def test_numbered_columns_of_the_training_data_are_told_once() -> None:
    (evidence,) = found(ColumnSeen(name="id", kind="whole", numbered=True))

    assert evidence.saw == "`id`: a different value in each of 1,000 rows"
    assert found(ColumnSeen(name="id", kind="whole", numbered=True), split="val") == []
    assert found(ColumnSeen(name="age", kind="whole")) == []
