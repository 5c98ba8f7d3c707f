from firstlight.checks.tables.values_extreme import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.tables import ColumnSeen, TableSeen


def found(column: ColumnSeen, rows: int = 1000, split: str = "train") -> list[Evidence]:
    table = TableSeen(file="train.csv", split=split, rows=rows, sampled=rows, columns=(column,))
    return list(CHECK.find(table, CHECK.limits))


def test_both_sides_of_the_gap() -> None:
    (evidence,) = found(ColumnSeen(name="a", kind="number", apart=100.0, outermost=("-999 (row 4)",)))

    assert evidence.saw == "-999 (row 4) lie 100 times farther from the median than the next values"
    assert found(ColumnSeen(name="a", kind="number", apart=99.0)) == []
    assert found(ColumnSeen(name="a", kind="number", apart=float("nan"))) == []
    assert found(ColumnSeen(name="id", kind="whole", role="about", apart=500.0)) == []
