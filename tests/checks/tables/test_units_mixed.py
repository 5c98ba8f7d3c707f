from firstlight.checks.tables.units_mixed import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.tables import ColumnSeen, TableSeen


def found(column: ColumnSeen) -> list[Evidence]:
    table = TableSeen(file="train.csv", split="train", rows=1000, sampled=1000, columns=(column,))
    return list(CHECK.find(table, CHECK.limits))


def test_two_units_are_told_with_their_factor_and_rows() -> None:
    (evidence,) = found(
        ColumnSeen(name="a", kind="number", unit_factor=100.0, unit_share=0.3, unit_examples=("1.75 (row 4)",))
    )

    assert evidence.saw == "30.0% of its values, such as 1.75 (row 4), differ from the others by a factor of 100"


def test_both_sides_of_the_least_share() -> None:
    assert len(found(ColumnSeen(name="a", kind="number", unit_factor=100.0, unit_share=0.005))) == 1
    assert found(ColumnSeen(name="a", kind="number", unit_factor=100.0, unit_share=0.004)) == []
    assert found(ColumnSeen(name="a", kind="number", unit_factor=100.0, unit_share=float("nan"))) == []


def test_columns_that_are_not_fed_and_columns_of_one_unit_are_left_alone() -> None:
    assert found(ColumnSeen(name="a", kind="number", unit_share=0.3)) == []
    assert found(ColumnSeen(name="t", kind="number", role="time", unit_factor=1000.0, unit_share=0.3)) == []
