import math

from hypothesis import given
from hypothesis import strategies as st

from firstlight.report.sparkline import BROKEN, LEVELS, sparkline


def test_a_curve_in_a_line() -> None:
    assert sparkline([0, 1, 2, 3, 4, 5, 6, 7], 8) == LEVELS
    assert sparkline([5.0, 5.0], 10) == LEVELS[0] * 2
    assert sparkline([], 10) == ""


@given(st.lists(st.floats(), max_size=300), st.integers(1, 80))
def test_any_curve_fits_and_nothing_broken_is_hidden(values: list[float], width: int) -> None:
    drawn = sparkline(values, width)
    assert len(drawn) == min(width, len(values))
    assert set(drawn) <= set(LEVELS + BROKEN)
    assert (BROKEN in drawn) == any(not math.isfinite(value) for value in values)
