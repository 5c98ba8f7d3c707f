"""What a few numbers allow to be said, and what they do not."""

import math
import random
from statistics import fmean

import pytest

from firstlight.lab import statistics
from firstlight.lab.statistics import NONDETERMINISM, holm, interval, log_evidence, more_pairs, paired, shares, side


def _stops(luck: random.Random, effect: float, most: int) -> bool:
    """Whether a winner is declared at some look, were one taken after every pair."""
    differences: list[float] = []
    for _ in range(most):
        differences.append(luck.gauss(effect, 1.0))
        if paired(differences).decided:
            return True
    return False


def test_noise_has_a_winner_at_any_look_at_most_one_time_in_twenty() -> None:
    luck = random.Random(5)
    assert sum(_stops(luck, 0.0, 20) for _ in range(400)) / 400 < statistics.ALPHA


def test_an_effect_of_two_standard_deviations_is_found_in_ten_pairs() -> None:
    luck = random.Random(6)
    assert sum(_stops(luck, 2.0, 10) for _ in range(200)) / 200 > 0.9


def test_two_pairs_decide_nothing_however_alike_they_are() -> None:
    assert not paired([1.0, 1.0]).decided
    assert paired([1.0, 1.0, 1.0]).decided


def test_the_interval_ends_where_the_evidence_does() -> None:
    values = [0.3, 0.7, 0.4, 0.9, 0.5]
    low, high = interval(values)
    assert log_evidence([value - low for value in values]) == pytest.approx(math.log(20), rel=1e-6)
    assert low < fmean(values) < high
    assert paired(values).decided is (paired(values).p <= statistics.ALPHA)


def test_values_that_are_all_alike_are_no_evidence() -> None:
    same = paired([0.0, 0.0, 0.0, 0.0])
    assert (same.p, same.effect, same.decided) == (1.0, None, False)


def test_the_forecast_asks_for_more_pairs_where_the_effect_is_smaller() -> None:
    large, small = more_pairs([1.0, 0.4, 0.9]), more_pairs([1.0, -0.4, 0.9])
    assert large is not None
    assert small is not None
    assert large < small
    assert more_pairs([1.0, -1.0, 0.9, -0.91]) is None
    assert more_pairs([0.0, 0.0]) is None


def test_holm_makes_the_smallest_p_value_largest_relative_to_itself() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5]) == [0.5]
    assert holm([0.9, 0.9]) == [1.0, 1.0]


def test_shares_of_a_constructed_spread_come_out() -> None:
    luck = random.Random(7)
    sources = {"init": [luck.gauss(0, 2) for _ in range(400)], "order": [luck.gauss(0, 1) for _ in range(400)]}
    found = shares(sources, [0.0, 0.0, 0.0])
    assert found["init"].share == pytest.approx(0.8, abs=0.06)
    assert found["init"].low < 0.8 < found["init"].high
    assert found[NONDETERMINISM].share == 0.0


def test_what_varies_by_itself_is_taken_off_each_source() -> None:
    luck = random.Random(8)

    def runs(sd: float) -> list[float]:
        return [luck.gauss(0, sd) + luck.gauss(0, 1) for _ in range(600)]

    found = shares({"init": runs(1.0), "dropout": runs(0.0)}, runs(0.0))
    assert found["dropout"].share < 0.15
    assert found["init"].share == pytest.approx(0.5, abs=0.12)
    assert found[NONDETERMINISM].share == pytest.approx(0.5, abs=0.12)


def test_sources_that_spread_no_more_than_nothing_does_have_no_share() -> None:
    quiet, loud = [0.0, 1.0, 2.0, 3.0], [0.0, 2.0, 4.0, 6.0]
    found = shares({"init": quiet, "order": quiet}, loud)
    assert found[NONDETERMINISM].share == 1.0
    assert found["init"].share == found["init"].low == 0.0


def test_the_interval_of_a_share_knows_that_the_noise_is_known_from_few_runs() -> None:
    """Of three runs of one seed the noise is known within a factor of many; of thirty it is not larger than that."""
    luck = random.Random(9)
    runs = [luck.gauss(0, 2) for _ in range(30)]
    few, many = (shares({"init": runs}, [0.5 * one for one in runs[:count]])["init"] for count in (3, 30))
    assert few.low == 0.0
    assert many.low > 0.4


def test_no_spread_at_all_has_no_shares() -> None:
    assert shares({"init": [1.0, 1.0]}, [1.0, 1.0])["init"].share == 0.0


def test_a_run_is_on_the_side_it_is_nearer_to() -> None:
    good, bad = [0.9, 0.91, 0.92], [0.5, 0.52, 0.48]
    assert side([0.51], good, bad) > 2
    assert side([0.9], good, bad) < -2
    assert abs(side([0.705], good, bad)) < 1
    assert side([0.51, 0.5], good, bad) > side([0.51], good, bad)
