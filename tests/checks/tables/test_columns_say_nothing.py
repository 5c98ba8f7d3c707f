import pytest

from firstlight.checks.tables.columns_say_nothing import CHECK
from firstlight.records.finding import Evidence, Severity
from firstlight.records.tables import ColumnSeen, TableSeen


def found(column: ColumnSeen, rows: int = 1000, split: str = "train") -> list[Evidence]:
    table = TableSeen(file="train.csv", split=split, rows=rows, sampled=rows, columns=(column,))
    return list(CHECK.find(table, CHECK.limits))


VARIED = ColumnSeen(name="b", kind="number", distinct=900)


def test_one_value_in_all_rows() -> None:
    (evidence,) = found(ColumnSeen(name="a", kind="number", distinct=1))

    assert "1 with the same value in all rows: `a`" in evidence.saw
    assert evidence.severity is Severity.ERROR  # it is the only input
    assert found(ColumnSeen(name="a", kind="number", distinct=2)) == []
    assert found(ColumnSeen(name="a", kind="number", role="about", distinct=1)) == []


def test_a_target_that_is_the_same_in_every_row() -> None:
    (evidence,) = found(ColumnSeen(name="y", kind="whole", role="target", distinct=1))

    assert (evidence.saw, evidence.severity) == ("the target is the same in all 1,000 rows", Severity.ERROR)
    assert found(ColumnSeen(name="y", kind="whole", role="target", distinct=1, missing=1000)) == []  # told elsewhere


@pytest.mark.parametrize(("others", "severity"), [(1, None), (9, None), (10, Severity.NOTE)])
def test_one_column_among_few_is_a_warning_and_among_many_a_note(others: int, severity: Severity | None) -> None:
    columns = (*(VARIED for _ in range(others)), ColumnSeen(name="a", kind="number", distinct=1))
    (evidence,) = CHECK.find(TableSeen(file="f", split="train", rows=50, sampled=50, columns=columns), CHECK.limits)

    assert evidence.severity is severity


def test_other_splits_may_be_too_small_to_vary() -> None:
    assert found(ColumnSeen(name="a", kind="number", distinct=1), split="val") == []


def test_both_sides_of_the_missing_share() -> None:
    assert len(found(ColumnSeen(name="a", kind="number", distinct=9, missing=950))) == 1
    assert found(ColumnSeen(name="a", kind="number", distinct=9, missing=949)) == []


def test_both_sides_of_the_least_rows() -> None:
    assert len(found(ColumnSeen(name="a", kind="number", distinct=1), rows=20)) == 1
    assert found(ColumnSeen(name="a", kind="number", distinct=1), rows=19) == []


def test_a_column_without_any_value_is_missing_not_constant() -> None:
    columns = (VARIED, ColumnSeen(name="a", kind="number", distinct=1, missing=50))
    (evidence,) = CHECK.find(TableSeen(file="f", split="train", rows=50, sampled=50, columns=columns), CHECK.limits)

    assert evidence.saw == "of 2 input columns, 1 missing in 95% of the rows or more: `a`"
