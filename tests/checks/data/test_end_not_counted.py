from typing import Any

import pytest
from msgspec.structs import replace
from tests.checks.data.relating import found, related

from firstlight.checks.data.end_not_counted import CHECK
from firstlight.records.relations import Ends, Relations

ENDS = Ends(steps=10, rows=100, end=17, followed=100, content=100, bounded=0, widths=1, lengths=6, alike=0.2)


def ending(**changes: Any) -> Relations:
    return related(ends=replace(ENDS, **changes))


def unmarked(**changes: Any) -> Relations:
    return ending(**{"content": 0, "bounded": 10, "widths": 4, **changes})


def test_an_end_that_is_marked_as_no_padding_is_told() -> None:
    (evidence,) = found(CHECK, ending())

    assert evidence.saw == "id 17 ends 100 of 100 sequences, is not marked as padding and never counts in the loss"
    assert (evidence.where.file, evidence.where.line) == ("train.py", 22)


def test_an_end_that_ends_the_longest_row_too_is_told() -> None:
    (evidence,) = found(CHECK, unmarked())

    assert evidence.saw == "id 17 ends 100 of 100 sequences and never counts in the loss"


def test_an_end_that_counts_once_is_left_alone() -> None:
    assert not found(CHECK, ending(counted=1))


@pytest.mark.parametrize(("steps", "times"), [(3, 0), (4, 1)])
def test_each_side_of_steps(steps: int, times: int) -> None:
    assert len(found(CHECK, ending(steps=steps))) == times


@pytest.mark.parametrize(("rows", "times"), [(31, 0), (32, 1)])
def test_each_side_of_rows(rows: int, times: int) -> None:
    assert len(found(CHECK, ending(rows=rows, followed=rows, content=rows))) == times


@pytest.mark.parametrize(("followed", "times"), [(49, 0), (50, 1)])
def test_each_side_of_followed(followed: int, times: int) -> None:
    assert len(found(CHECK, ending(followed=followed, content=followed))) == times


@pytest.mark.parametrize(("content", "times"), [(94, 0), (95, 1)])
def test_each_side_of_content(content: int, times: int) -> None:
    assert len(found(CHECK, ending(content=content))) == times


@pytest.mark.parametrize(("bounded", "times"), [(8, 0), (9, 1)])
def test_each_side_of_bounded(bounded: int, times: int) -> None:
    assert len(found(CHECK, unmarked(bounded=bounded))) == times


@pytest.mark.parametrize(("widths", "times"), [(1, 0), (2, 1)])
def test_each_side_of_widths(widths: int, times: int) -> None:
    assert len(found(CHECK, unmarked(widths=widths))) == times


@pytest.mark.parametrize(("alike", "times"), [(0.89, 1), (0.9, 0), (float("nan"), 0)])
def test_each_side_of_alike(alike: float, times: int) -> None:
    assert len(found(CHECK, ending(alike=alike))) == times


@pytest.mark.parametrize(("lengths", "times"), [(2, 0), (3, 1)])
def test_each_side_of_lengths(lengths: int, times: int) -> None:
    assert len(found(CHECK, ending(lengths=lengths))) == times
