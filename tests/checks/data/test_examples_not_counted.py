from typing import Any

import pytest
from msgspec.structs import replace
from tests.checks.data.relating import found, related

from firstlight.checks.data.examples_not_counted import CHECK
from firstlight.records.relations import Relations, RowsReached


def counted(**changes: Any) -> Relations:
    return related(counted=replace(RowsReached(steps=16, rows=20, never=19), **changes))


def test_rows_that_never_count_are_told() -> None:
    (evidence,) = found(CHECK, counted())

    assert evidence.saw.startswith("19 of the 20 rows of a batch have no influence on the loss")
    assert (evidence.where.file, evidence.where.line) == ("train.py", 20)


@pytest.mark.parametrize(("never", "times"), [(11, 0), (12, 1)])
def test_each_side_of_share(never: int, times: int) -> None:
    assert len(found(CHECK, counted(never=never))) == times


@pytest.mark.parametrize(("rows", "times"), [(3, 0), (4, 1)])
def test_each_side_of_rows(rows: int, times: int) -> None:
    assert len(found(CHECK, counted(rows=rows, never=3))) == times


@pytest.mark.parametrize(("steps", "times"), [(5, 0), (6, 1)])
def test_each_side_of_steps(steps: int, times: int) -> None:
    assert len(found(CHECK, counted(steps=steps))) == times
