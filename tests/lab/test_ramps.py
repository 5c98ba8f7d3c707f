"""A learning-rate range test read, on losses whose shape is known."""

import math

import pytest

from firstlight.lab import ramps

RATES = [10 ** (-6 + place / 20) for place in range(120)]


def falling_then_gone(edge: float, falls: float = 1e-3) -> list[float]:
    """Flat, then a descent around `falls`, then a divergence beyond `edge`."""
    return [1.0 / (1.0 + rate / falls) + (0.0 if rate < edge else (rate / edge) ** 3 - 1.0) for rate in RATES]


def test_the_steepest_point_lies_on_the_descent() -> None:
    found = ramps.read(RATES, falling_then_gone(edge=0.1))
    assert found.steepest == pytest.approx(1e-3, rel=2.0)
    assert found.valley is not None
    assert found.least is not None
    assert found.valley < found.least
    assert found.gained > ramps.FLAT


def test_the_edge_is_where_it_diverges() -> None:
    found = ramps.read(RATES, falling_then_gone(edge=0.02))
    assert found.diverged_at == pytest.approx(0.03, rel=1.0)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_no_number_ends_a_ramp(bad: float) -> None:
    losses = falling_then_gone(edge=10.0)
    found = ramps.read(RATES, [*losses[:60], bad])
    assert found.diverged_at == RATES[60]


def test_a_flat_ramp_gains_nothing() -> None:
    assert ramps.read(RATES, [2.3] * len(RATES)).gained < ramps.FLAT


def test_a_loss_below_zero_may_fall_without_diverging() -> None:
    assert ramps.diverges([-place / 10 for place in range(60)]) is None
    assert ramps.diverges([*(-place / 10 for place in range(60)), 30.0]) == 60


def test_the_longest_descent_passes_over_single_rises() -> None:
    assert ramps.middle_of_descent([5.0, 4.0, 6.0, 3.0, 2.0, 9.0, 9.0]) == 2


def test_the_middle_of_rates_is_that_of_their_logarithms() -> None:
    assert ramps.middle([1e-4, None, 1e-2]) == pytest.approx(1e-3)
    assert ramps.middle([1e-4, 1e-3, 1.0]) == pytest.approx(1e-3)
    assert ramps.middle([None]) is None
