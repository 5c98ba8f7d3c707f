from firstlight.checks.tables.classes_scarce import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.tables import ColumnSeen, TableSeen


def found(column: ColumnSeen, rows: int = 1000, split: str = "train") -> list[Evidence]:
    table = TableSeen(file="train.csv", split=split, rows=rows, sampled=rows, columns=(column,))
    return list(CHECK.find(table, CHECK.limits))


def target(**counts: int) -> ColumnSeen:
    return ColumnSeen(name="y", kind="text", role="target", counts=counts)


def test_both_sides_of_the_least_rows() -> None:
    (evidence,) = found(target(cat=500, dog=493, owl=7))

    assert evidence.saw == "at most 7 rows each of 'owl' (7)"
    assert found(target(cat=500, dog=492, owl=8)) == []


def test_both_sides_of_the_majority() -> None:
    (evidence,) = found(target(cat=1990, dog=10), rows=2000)

    assert evidence.saw == "1,990 of 2,000 rows are 'cat'"
    assert found(target(cat=1989, dog=11), rows=2000) == []


def test_both_sides_of_a_small_table() -> None:
    assert len(found(target(cat=197, dog=3), rows=200)) == 1
    assert found(target(cat=196, dog=3), rows=199) == []


def test_inputs_and_other_splits_may_have_rare_values() -> None:
    assert found(ColumnSeen(name="a", kind="text", counts={"x": 999, "z": 1})) == []
    assert found(target(cat=999, dog=1), split="test") == []


def whole(*rows: int) -> ColumnSeen:
    return ColumnSeen(name="y", kind="whole", role="target", counts={str(at): count for at, count in enumerate(rows)})


def test_counts_are_no_classes() -> None:
    assert found(whole(130, 270, 275, 180, 90, 40, 10, 4, 1)) == []
    assert len(found(whole(130, 4, 275, 180, 90, 40, 10, 270, 1))) == 1


def test_both_sides_of_counted_and_astray() -> None:
    assert len(found(whole(500, 300, 150, 45, 5))) == 1
    assert found(whole(500, 300, 150, 40, 6, 4)) == []
    assert found(whole(500, 300, 100, 5, 55, 40)) == []
    assert len(found(whole(500, 300, 100, 5, 56, 39))) == 1
