from typing import Any

import pytest
from msgspec.structs import replace
from tests.checks.data.feeding import COLUMNS, FEED, found

from firstlight.checks.data.training_part_tiny import CHECK
from firstlight.records.feed import Fed, FeedSeen, Overlap


def tiny(shape: tuple[int, ...] = (12, 6), **changes: Any) -> FeedSeen:
    usual = Overlap(trained=12, whole=True, evaluated=1200)
    inputs = (Fed(train=replace(COLUMNS, shape=shape)),)
    return replace(FEED, overlap=replace(usual, **changes), inputs=inputs)


def test_both_numbers_are_told_where_the_model_is_trained() -> None:
    (evidence,) = found(CHECK, tiny())

    assert evidence.saw == "12 examples are trained on, again and again, and 1,200 others are evaluated"
    assert evidence.where.line == 20


@pytest.mark.parametrize(("trained", "times"), [(0, 0), (29, 1), (30, 0)])
def test_each_side_of_trained(trained: int, times: int) -> None:
    assert len(found(CHECK, tiny(trained=trained))) == times


@pytest.mark.parametrize(("evaluated", "times"), [(95, 0), (96, 1)])
def test_each_side_of_times(evaluated: int, times: int) -> None:
    assert len(found(CHECK, tiny(evaluated=evaluated))) == times


@pytest.mark.parametrize(("shape", "times"), [((12, 2), 0), ((12, 3), 1), ((12, 1, 4, 4), 1)])
def test_each_side_of_values(shape: tuple[int, ...], times: int) -> None:
    assert len(found(CHECK, tiny(shape=shape))) == times


def test_nothing_is_said_before_all_was_seen() -> None:
    assert found(CHECK, tiny(whole=False)) == []
