from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.ranks.ranks_see_same_data import CHECK
from firstlight.records.facts import RankOverlap
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import Site

IN_STEP = RankOverlap(
    rank=1,
    site=Site(file="train.py", line=29),
    world=2,
    rows=640,
    shared=1.0,
    distinct=1.0,
    whole=True,
    divided=False,
    compared=64,
    same=64,
)
SHUFFLED = replace(IN_STEP, same=0)


def found(overlap: RankOverlap = IN_STEP, **changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(overlap, **changes), CHECK.limits))


def test_the_same_batches_in_step_are_an_error() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "100% of the 640 examples fed to rank 1 are fed to rank 0 too, in the same order at all of 64 steps"
    )
    assert evidence.wanted == "a part of its own for each of the 2 ranks: next to no example in common"
    assert (evidence.severity or CHECK.severity) is Severity.ERROR
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 29, 1)
    assert evidence.numbers == {"shared": 1.0, "rows": 640, "same_steps": 64}


def test_they_need_no_whole_epoch() -> None:
    assert len(found(whole=False)) == 1


def test_one_ranks_part_on_all_of_them_is_an_error_in_any_order() -> None:
    (evidence,) = found(SHUFFLED, divided=True)

    assert evidence.saw.endswith("in another order")
    assert (evidence.severity or CHECK.severity) is Severity.ERROR


def test_the_whole_data_set_on_all_of_them_is_worth_a_look() -> None:
    (evidence,) = found(SHUFFLED)

    assert evidence.severity is Severity.WARNING
    assert evidence.confidence == 0.7


def test_before_the_end_of_an_epoch_another_order_says_nothing() -> None:
    assert found(SHUFFLED, whole=False) == []


def test_ranks_that_divide_the_data_are_fine() -> None:
    assert found(SHUFFLED, shared=0.0, divided=True) == []


def test_one_different_batch_is_not_in_step() -> None:
    assert found(same=63, whole=False) == []


@pytest.mark.parametrize(("rows", "times"), [(63, 0), (64, 1), (127, 1)])
def test_each_side_of_rows(rows: int, times: int) -> None:
    assert len(found(rows=rows)) == times


@pytest.mark.parametrize(("distinct", "times"), [(0.5, 0), (0.949, 0), (0.95, 1)])
def test_each_side_of_distinct(distinct: float, times: int) -> None:
    assert len(found(distinct=distinct)) == times


@pytest.mark.parametrize(("shared", "times"), [(0.5, 0), (0.949, 0), (0.95, 1)])
def test_each_side_of_shared(shared: float, times: int) -> None:
    assert len(found(SHUFFLED, shared=shared)) == times


@pytest.mark.parametrize(("steps", "times"), [(3, 0), (4, 1), (7, 1)])
def test_each_side_of_steps(steps: int, times: int) -> None:
    assert len(found(compared=steps, same=steps, whole=False)) == times
