"""Short trainings at several rates, compared."""

import math
import random

import pytest

from firstlight.lab.ladder import SHARE, ladder


def training(end: float, steps: int = 100, noise: float = 0.0, seed: int = 0) -> list[float]:
    drawn = random.Random(seed)
    return [end + (1.0 - end) * math.exp(-step / 10) + noise * drawn.gauss(0, 1) for step in range(steps)]


def test_the_lowest_end_is_best_and_what_is_near_is_as_good() -> None:
    tried = ladder({1e-3: training(0.5), 1e-2: training(0.1), 1e-1: training(0.1 + 0.4 * SHARE)})
    assert tried.best is not None
    assert tried.best.rate == 1e-2
    assert tried.range() == (1e-2, 1e-1)


def test_what_is_worse_by_more_than_the_share_is_not() -> None:
    tried = ladder({1e-2: training(0.1), 1e-1: training(0.1 + 1.2 * SHARE)})
    assert tried.range() == (1e-2, 1e-2)


def test_differences_within_noise_are_none() -> None:
    tried = ladder({1e-2: training(0.1, noise=0.3, seed=3), 1e-1: training(0.15, noise=0.3, seed=4)})
    assert tried.range() == (1e-2, 1e-1)


def test_the_suggestion_leans_towards_the_better_neighbour() -> None:
    leaning = ladder({1e-3: training(0.6), 1e-2: training(0.1), 1e-1: training(0.2)}).suggested()
    even = ladder({1e-3: training(0.2), 1e-2: training(0.1), 1e-1: training(0.2)}).suggested()
    assert leaning is not None
    assert even is not None
    assert 1e-2 < leaning < 1e-1
    assert even == pytest.approx(1e-2)


@pytest.mark.parametrize(("highest", "suggested"), [(7e-3, 2.04e-3), (9e-3, 3e-3)])
def test_of_a_decade_of_rates_that_are_as_good_the_middle_is_suggested(highest: float, suggested: float) -> None:
    """Where they span less, the lowest of them counts."""
    ends = {1e-4: 0.5, 1e-3: 0.11, 2e-3: 0.1, highest: 0.13, 1e-1: 0.5}
    tried = ladder({rate: training(end) for rate, end in ends.items()})
    assert tried.range() == (1e-3, highest)
    assert tried.suggested() == pytest.approx(suggested, rel=0.03)


@pytest.mark.parametrize("losses", [[1.0, 2.0, math.nan], [1.0, 5.0, math.inf], [1.0, 3.0]])
def test_a_training_that_ended_early_or_without_a_number_is_not_best(losses: list[float]) -> None:
    tried = ladder({1e-2: training(0.1), 1.0: losses})
    assert tried.best is not None
    assert tried.best.rate == 1e-2
    assert tried.range() == (1e-2, 1e-2)


def test_a_training_that_spreads_more_than_the_best_is_not_as_good_for_that() -> None:
    calm, wild = training(0.1, noise=0.02, seed=3), training(0.6, noise=3.0, seed=4)
    tried = ladder({1e-2: calm, 1e-1: wild})
    assert tried.best is not None
    assert tried.best.rate == 1e-2
    assert tried.range() == (1e-2, 1e-2)


@pytest.mark.parametrize(("length", "compared"), [(30, 30), (20, 100)])
def test_a_training_whose_time_was_over_shortens_the_comparison_or_says_nothing(length: int, compared: int) -> None:
    tried = ladder({1e-3: training(0.5), 1e-2: training(0.1)[:length], 1e-1: training(0.3)}, out_of_time={1e-2})
    assert tried.best is not None
    assert len(tried.best.losses) == compared
    assert tried.best.rate == (1e-2 if length == compared else 1e-1)
    assert all(math.isfinite(rung.end) for rung in tried.rungs)


def test_nothing_learns_where_no_rate_lowers_the_loss() -> None:
    flat = {rate: [2.3 + 0.01 * (-1) ** step for step in range(50)] for rate in (1e-3, 1e-2)}
    assert not ladder(flat).learns
    assert ladder({1e-2: training(0.1)}).learns
    assert not ladder({}).learns
