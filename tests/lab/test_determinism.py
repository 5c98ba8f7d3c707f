"""Where two runs of one seed part, and why."""

import pytest

from firstlight.lab.determinism import parting

ROWS = [("mm", "a.py:3", 1, 2), ("dropout", "a.py:4", 2, 3), ("index_add_", "a.py:5", 3, 4)]


def test_the_same_operations_do_not_part() -> None:
    assert parting(ROWS, list(ROWS)) is None


@pytest.mark.parametrize(
    ("at", "other", "why"),
    [
        (0, ("mm", "a.py:3", 9, 8), "its inputs already differ"),
        (1, ("dropout", "a.py:4", 2, 8), "random numbers that no seed controls"),
        (2, ("index_add_", "a.py:5", 3, 8), "different results for the same inputs"),
        (2, ("add", "b.py:1", 3, 4), "the other run does `add` at b.py:1 instead"),
    ],
)
def test_the_first_that_differs_is_named_with_its_reason(at: int, other: tuple[str, str, int, int], why: str) -> None:
    found = parting(ROWS, [*ROWS[:at], other, *ROWS[at + 1 :]])
    assert found is not None
    assert (found.at, found.operation, found.line) == (at, *ROWS[at][:2])
    assert why in found.why


def test_inputs_that_make_no_difference_to_the_result_are_no_parting() -> None:
    """Such as memory that is about to be filled."""
    assert parting(ROWS, [("mm", "a.py:3", 7, 2), *ROWS[1:]]) is None


def test_a_run_that_does_less_parts_where_it_ends() -> None:
    found = parting(ROWS, ROWS[:2])
    assert found is not None
    assert (found.at, found.operation) == (2, "index_add_")
