"""Losses that follow a law that is known."""

import pytest

from firstlight.lab.power_law import fitted, predicted

AMOUNTS = (100.0, 200.0, 400.0, 800.0, 1600.0)


@pytest.mark.parametrize(("floor", "slope"), [(0.0, 0.5), (0.3, 0.5), (1.0, 0.25), (-2.0, 1.0)])
def test_a_law_is_found_again(floor: float, slope: float) -> None:
    law = fitted(AMOUNTS, [floor + 10 * amount**-slope for amount in AMOUNTS])
    assert law is not None
    assert law.at(16000.0) == pytest.approx(floor + 10 * 16000.0**-slope, abs=0.05)


def test_the_interval_holds_the_truth_and_grows_with_the_error() -> None:
    losses = [0.2 + 5 * amount**-0.5 for amount in AMOUNTS]
    exact = predicted(AMOUNTS, losses, 16000.0, [1e-6] * 5)
    loose = predicted(AMOUNTS, losses, 16000.0, [0.02] * 5)
    assert exact is not None
    assert loose is not None
    assert loose[1] <= 0.2 + 5 * 16000.0**-0.5 <= loose[2]
    assert loose[2] - loose[1] > exact[2] - exact[1]


def test_a_loss_that_rises_or_two_amounts_have_no_law() -> None:
    assert fitted(AMOUNTS, [1.0, 1.1, 1.2, 1.3, 1.4]) is None
    assert fitted((1.0, 2.0), (1.0, 0.5)) is None
    assert fitted(AMOUNTS, [1.0, 0.9, float("nan"), 0.7, 0.6]) is None
