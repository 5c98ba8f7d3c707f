"""Where a run's episodes begin, and where they end."""

import pytest

from firstlight.observe.inside.course import ReturnsCourse


def course(returns: list[float], per_step: int = 1) -> ReturnsCourse:
    made = ReturnsCourse()
    for at, one in enumerate(returns):
        made.add(at // per_step, one)
    return made


def test_the_beginning_is_what_begins_before_anything_is_learnt() -> None:
    """Of 100 steps the first two, and step 0 is before the first."""
    made = course([1.0] * 30 + [5.0] * 970, per_step=10)

    assert (made.start(100).episodes, made.start(100).mean) == (30, 1.0)


def test_where_these_are_few_the_first_ones_count() -> None:
    start = course([1.0, 2.0, 3.0, 4.0, 5.0, 100.0] * 4).start(24)

    assert (start.episodes, start.mean) == (5, 3.0)
    assert start.spread == pytest.approx(2.5**0.5)


def test_long_episodes_of_the_beginning_count_though_they_end_late() -> None:
    """Those that end first are the shortest, and may have returned most."""
    made = ReturnsCourse()
    for begun, total in [(0, 9.0), (50, 5.0), (60, 5.0), (0, -3.0), (1, 0.0), (0, 0.0), (1, -1.0)]:
        made.add(begun, total)

    assert (made.start(100).episodes, made.start(100).mean) == (5, 1.0)


def test_the_end_is_the_last_quarter() -> None:
    end = course([0.0] * 30 + [2.0] * 10).end()

    assert (end.episodes, end.mean, end.spread) == (10, 2.0, 0.0)
    assert course([7.0]).end().mean == 7.0
