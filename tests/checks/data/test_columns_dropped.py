from firstlight.checks.data.columns_dropped import CHECK
from firstlight.checks.declare import NoLimits
from firstlight.records.places import Site
from firstlight.records.program import ColumnsDropped


def dropped(*columns: str) -> ColumnsDropped:
    return ColumnsDropped(step=0, model="Price", takes="features", columns=columns, site=Site(file="train.py", line=9))


def test_dropped_columns_are_named_with_the_model_that_wants_them() -> None:
    (evidence,) = CHECK.find(dropped("extra", "age"), NoLimits())
    assert "`extra`, `age`" in evidence.saw
    assert "`**features`" in evidence.saw
    assert (evidence.where.file, evidence.where.line, evidence.where.module) == ("train.py", 9, "Price")


def test_only_columns_of_text_dropped_is_fine() -> None:
    assert list(CHECK.find(dropped(), NoLimits())) == []
