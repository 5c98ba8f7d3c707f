from firstlight.checks.tables.types_mixed import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.tables import ColumnSeen, TableSeen


def found(column: ColumnSeen, rows: int = 1000, split: str = "train") -> list[Evidence]:
    table = TableSeen(file="train.csv", split=split, rows=rows, sampled=rows, columns=(column,))
    return list(CHECK.find(table, CHECK.limits))


def texts(share: float | None, strays: tuple[str, ...] = ("'n/a' (row 3)",)) -> ColumnSeen:
    return ColumnSeen(name="a", kind="text", numeric_share=share, strays=strays)


def test_both_sides_of_the_share() -> None:
    (evidence,) = found(texts(0.8))

    assert evidence.saw == "80.0% of its values are numbers; others are 'n/a' (row 3)"
    assert found(texts(0.79)) == []
    assert found(texts(1.0)) == []
    assert found(texts(None)) == []


def test_nearly_all_is_not_rounded_to_all() -> None:
    (evidence,) = found(texts(0.99995))

    assert evidence.saw.startswith("more than 99.9% of its values")


def test_both_sides_of_the_least_rows() -> None:
    assert len(found(texts(0.9), rows=20)) == 1
    assert found(texts(0.9), rows=19) == []
