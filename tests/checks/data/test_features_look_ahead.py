import pytest
from msgspec.structs import replace

from firstlight.checks.data.features_look_ahead import CHECK
from firstlight.records.declared import ColumnAhead, FeaturesAhead
from firstlight.records.finding import Evidence

MEAN = ColumnAhead(name="mean", changed=2, of=316, farthest=2)
SCALED = ColumnAhead(name="scaled", changed=300, of=316, farthest=316)
ILL = FeaturesAhead(time="the index", rows=400, cut=316, columns=(MEAN,))


def found(*columns: ColumnAhead) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, columns=columns), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    (evidence,) = found(MEAN)

    assert evidence.saw == "without the rows after row 316, the values of `mean` change up to 2 rows before it"
    assert evidence.wanted == "values of earlier rows that do not change"


def test_what_was_fitted_to_all_rows_is_told_as_such() -> None:
    (evidence,) = found(SCALED)

    assert "in 300 of 316 rows" in evidence.saw
    assert "computed over all rows" in (evidence.likely or "")


def test_a_window_is_told_before_a_fit_to_all() -> None:
    (evidence,) = found(SCALED, MEAN)

    assert "`mean`" in evidence.saw
    assert "scaled" not in evidence.saw


@pytest.mark.parametrize(("farthest", "window"), [(158, True), (159, False)])
def test_both_sides_of_the_limit(farthest: int, window: bool) -> None:
    (evidence,) = found(replace(MEAN, farthest=farthest))

    assert (evidence.likely is None) == window


def test_nothing_that_changes_is_nothing_to_tell() -> None:
    assert found() == []
