"""Exceptions after a backward are heard where the program goes on, and nothing is left traced."""

import contextlib
import sys

import pytest

from firstlight.observe.inside import sites
from firstlight.observe.inside.taps.swallowed import MOST_LOOKS, Swallows


@pytest.fixture(autouse=True)
def _untraced() -> None:
    if sys.gettrace() is not None:
        pytest.skip("something else traces the tests")


def careful_step() -> None:
    try:
        raise TypeError("'method' object is not iterable")
    except TypeError:
        return


def run(rounds: int, *, in_a_function: bool = False, raises: bool = True) -> Swallows:
    swallows = Swallows()
    for _ in range(rounds):
        swallows.stop()
        swallows.lost()
        swallows.look()
        if in_a_function:
            careful_step()
        elif raises:
            with contextlib.suppress(Exception):
                int("no number")
    swallows.stop()
    swallows.lost()
    return swallows


def test_an_exception_that_is_suppressed_is_heard_on_its_line() -> None:
    told = run(3).told()

    assert told is not None
    assert told.error == "ValueError: invalid literal for int() with base 10: 'no number'"
    assert told.site is not None
    assert told.site == sites.site_of(__file__, told.site.line)
    assert (told.times, told.looks) == (3, 3)
    assert sys.gettrace() is None


def test_an_exception_that_a_function_of_the_program_handles_is_heard_there() -> None:
    told = run(3, in_a_function=True).told()

    assert told is not None
    assert told.error == "TypeError: 'method' object is not iterable"


def test_it_looks_a_few_times_only() -> None:
    told = run(2 * MOST_LOOKS).told()

    assert told is not None
    assert (told.times, told.looks) == (MOST_LOOKS, MOST_LOOKS)


def test_without_exceptions_nothing_is_told() -> None:
    assert run(3, raises=False).told() is None


def test_the_end_of_a_loop_is_no_failure() -> None:
    swallows = Swallows()
    swallows.look()
    numbers = iter(range(0))
    with contextlib.suppress(StopIteration):
        next(numbers)
    swallows.stop()
    swallows.lost()

    assert swallows.told() is None
