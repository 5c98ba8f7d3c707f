import pytest
from msgspec.structs import replace
from tests.checks.data.feeding import evaluated

from firstlight.checks.data.splits_scaled_apart import CHECK
from firstlight.checks.declare import Check, Severity
from firstlight.facts.derive import derive
from firstlight.records.feed import OwnScale, SplitsScaled
from firstlight.records.finding import Evidence
from firstlight.records.held_out import Transfer
from firstlight.records.relations import RelationsSeen


def scaled(kind: str = "unit", columns: int = 6, crowded: int = 0, parted: float = 20.0) -> SplitsScaled:
    alike = evaluated()
    own = OwnScale(kind=kind, columns=columns, trained=5840, evaluated=720)
    feed = replace(alike, inputs=(replace(alike.inputs[0], own_scale=own),), crowded=crowded)
    return SplitsScaled(feed=feed, parted=parted)


def found(check: Check, seen: SplitsScaled) -> list[Evidence]:
    return list(check.find(seen, check.limits))


def test_tells_the_columns_and_the_rows_of_both_sides() -> None:
    (evidence,) = found(CHECK, scaled())

    assert evidence.saw == (
        "6 columns of `input 0` have mean 0 and deviation 1 up to rounding over the 5,840 training rows, and again "
        "over the 720 rows of an evaluation"
    )
    assert evidence.where.line == 30


def test_ranges_are_told_as_such() -> None:
    (evidence,) = found(CHECK, scaled(kind="range", columns=2))

    assert evidence.saw.startswith("2 columns of `input 0` range from 0 to 1 exactly")


@pytest.mark.parametrize(("columns", "times"), [(0, 0), (1, 1)])
def test_each_side_of_columns(columns: int, times: int) -> None:
    assert len(found(CHECK, scaled(columns=columns))) == times


@pytest.mark.parametrize(("crowded", "times"), [(2, 1), (3, 0)])
def test_each_side_of_crowded(crowded: int, times: int) -> None:
    assert len(found(CHECK, scaled(crowded=crowded))) == times


@pytest.mark.parametrize(("parted", "severity"), [(6.0, Severity.WARNING), (5.9, Severity.NOTE)])
def test_each_side_of_parted(parted: float, severity: Severity) -> None:
    (evidence,) = found(CHECK, scaled(parted=parted))

    assert evidence.severity is severity


def test_what_parts_the_splits_is_read_of_the_same_rank() -> None:
    fed = scaled().feed
    lines = [
        RelationsSeen(step=60, rank=rank, site=None, meeting=None, examples=9, met=9, answers="values", transfer=found)
        for rank, found in ((fed.rank, Transfer(parted=7.0)), (fed.rank + 1, Transfer(parted=90.0)))
    ]

    (fact,) = (fact for fact in derive([fed, *lines]) if isinstance(fact, SplitsScaled))

    assert (fact.rank, fact.feed, fact.parted) == (fed.rank, fed, 7.0)
