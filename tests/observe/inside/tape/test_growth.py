"""Growth is seen where there is some, hardly ever where there is none, and never in what is not a number."""

import math
import random
import statistics
from dataclasses import replace

import pytest

from firstlight.observe.inside.tape.growth import LOOKS, Measured, began, gone, growth, lowest_level


def steps(gaps: list[float], spread: float = 1.0) -> list[Measured]:
    return [Measured(loss=2.0 - gap, permuted=2.0, spread=spread, fresh=True) for gap in gaps]


def noise(count: int, seed: int) -> list[float]:
    draw = random.Random(seed)
    return [draw.gauss(0, 1) for _ in range(count)]


def untrained(seed: int, related: float, count: int = 96, batch: int = 16) -> list[Measured]:
    """Squared errors of predictions that never get better, for answers with a long tail."""
    draw = random.Random(seed)
    found = []
    for _ in range(count):
        answers = [draw.gauss(0, 1) / max(1e-3, draw.random()) ** 0.7 for _ in range(batch)]
        said = [related * answer + draw.gauss(0, 1) for answer in answers]
        losses = []
        for _ in range(12):
            others = draw.sample(answers, batch)
            losses.append(sum((one - other) ** 2 for one, other in zip(said, others, strict=True)) / batch)
        true = sum((one - other) ** 2 for one, other in zip(said, answers, strict=True)) / batch
        found.append(Measured(true, statistics.mean(losses), statistics.stdev(losses), True))
    return found


def test_a_gap_that_rises_at_once_is_certain_at_the_first_look() -> None:
    found = growth(steps([0, 1, 4, 8, 12, 12, 13, 12]))
    assert found is not None
    assert found.certain
    assert found.likely
    assert found.gap_last > found.gap_first


def test_too_few_steps_are_no_answer() -> None:
    assert growth(steps([0.0] * (LOOKS[0] - 1))) is None


@pytest.mark.parametrize("level", [0.0, 15.0])
def test_a_gap_that_stays_is_hardly_ever_called_growing(level: float) -> None:
    """`level`: predictions that are related to the answers from the beginning on."""
    series = [steps([level + gap for gap in noise(256, seed)]) for seed in range(100)]
    assert sum(map(ever_certain, series)) == 0


BLIND = Measured(loss=2.0, permuted=2.0 - 5e-9, spread=1e-9, fresh=True)
"""A last layer that begins at zero: all examples are given the same prediction, but for the last digit."""


def test_where_all_predictions_begin_alike_it_is_known_where_the_gap_began() -> None:
    """Its later values may well differ widely, as from easy examples to hard ones."""
    wide = steps([4.0 + 3.0 * gap for gap in noise(47, 0)])
    began_by_chance = growth([*steps([0.0]), *wide])
    began_alike = growth([BLIND, *wide])

    assert began_alike is not None
    assert began_alike.low > 0
    assert began_by_chance is not None
    assert began_by_chance.low < 0


def test_nor_is_what_begins_alike_and_learns_nothing_called_growing() -> None:
    series = [[BLIND, *steps(noise(256, seed))] for seed in range(100)]
    tails = [[BLIND, *untrained(seed, 0.0)] for seed in range(30)]
    assert sum(map(ever_certain, [*series, *tails])) == 0


@pytest.mark.parametrize("related", [0.0, 0.5])
def test_nor_is_one_of_answers_with_a_long_tail(related: float) -> None:
    assert sum(ever_certain(untrained(seed, related)) for seed in range(30)) == 0


def ever_certain(series: list[Measured]) -> bool:
    looks = [growth(series[:look]) for look in LOOKS if look <= len(series)]
    return any(found is not None and found.certain for found in looks)


def test_a_weak_gap_is_seen_in_time() -> None:
    found = growth(steps([gap + 2 * (at > 20) for at, gap in enumerate(noise(128, 1))]))
    assert found is not None
    assert found.certain


def test_rare_examples_that_drown_the_others_do_not_hide_it() -> None:
    """Every seventh batch holds an outlier beside which the rest of the gap is nothing."""
    gaps = [0.0 if at % 7 == 0 else min(at, 20) * 5.0 + gap for at, gap in enumerate(noise(128, 2))]
    found = growth(steps(gaps))
    assert found is not None
    assert found.certain


def test_a_gap_that_shrinks_is_no_sign() -> None:
    found = growth(steps([20 - at / 4 for at in range(64)]))
    assert found is not None
    assert not found.certain
    assert not found.likely
    assert found.related


def test_random_weights_may_follow_the_answers_a_little() -> None:
    """Thirty deviations of it, and a fiftieth of the loss."""
    series = [Measured(loss=1.96, permuted=2.0, spread=0.04 / 30, fresh=True)] * 64
    found = growth(series)
    assert found is not None
    assert found.early > found.chance
    assert not found.related


def test_what_is_not_a_number_never_passes() -> None:
    series = steps([0.0, 1, 4, 8, 12, 12, 13, 12])
    found = growth([*series[:-1], replace(series[-1], loss=math.nan)])
    assert found is not None
    assert not found.certain
    assert not found.likely


def test_answers_that_make_no_difference_have_no_gap() -> None:
    found = growth(steps([0.0] * 64, spread=0.0))
    assert found is not None
    assert not found.certain
    assert not found.likely
    assert not found.related


def test_the_lowest_level_is_that_of_several_steps() -> None:
    levels = [2.4, 2.3, 2.3, 2.3, 2.3, 2.3, 5.0, 0.1, 9.0]
    assert lowest_level([Measured(1.0, level, 0.1, True) for level in levels]) == pytest.approx(2.3)


@pytest.mark.parametrize(("last", "certain"), [(0.2, True), (0.99, True), (1.01, False)])
def test_a_loss_of_less_than_half_of_any_permuted_one_is_certain_whatever_the_spread(
    last: float, certain: bool
) -> None:
    """The spread over permutations grows with the predictions, so that the gap in its units stays as it was."""
    losses = [1.9] * 20 + [last] * 20
    found = growth([Measured(loss, 2.0, (2.0 - loss) / 3, True) for loss in losses])

    assert found is not None
    assert found.certain is certain


def test_what_began_below_half_was_not_learnt_here() -> None:
    found = growth([Measured(0.5, 2.0, 0.5, True) for _ in range(40)])

    assert found is not None
    assert not found.certain


def looks(gaps: list[float], first: int = 0, every: int = 1) -> list[Measured]:
    return [Measured(1.0 - gap, 1.0, 0.1, True, first + every * at) for at, gap in enumerate(gaps)]


class TestGone:
    def test_a_gap_that_is_gone_at_the_last_looks_is_told_with_its_widest(self) -> None:
        found = gone(looks([0.0, 0.1, 0.2, 0.3]), looks([0.5] * 8 + [0.14, -0.12] * 4, first=8, every=8))

        assert found is not None
        assert (found.best, found.best_at, found.since) == (0.5, 64, 72)
        assert found.loss == pytest.approx(0.99)

    @pytest.mark.parametrize(
        "late",
        [
            pytest.param([0.5] * 8 + [0.01] * 7, id="too-few-looks"),
            pytest.param([0.5] * 8 + [0.06] * 20, id="some-is-left"),
            pytest.param([0.5] * 8 + [0.16, -0.16] * 8, id="too-much-of-some"),
            pytest.param([0.5] * 8 + [0.01] * 20 + [0.3], id="it-came-back"),
            pytest.param([0.2 + 0.02 * at for at in range(20)], id="it-grows"),
            pytest.param([-0.1] * 20, id="there-was-none"),
            pytest.param([0.5] * 8 + [float("nan")] * 20, id="not-a-number"),
        ],
    )
    def test_a_gap_that_is_there_is_quiet(self, late: list[float]) -> None:
        assert gone(looks([-0.1] * 4), looks(late, first=8, every=8)) is None


@pytest.mark.parametrize(
    ("losses", "level"),
    [([2.0, 2.4, 2.2], 2.2), ([2.3, 1e5, 1e4], 2.3), ([2.0, 5.9], 3.95), ([2.0, 6.1], 2.0), ([-1.0, 4.0], 1.5)],
)
def test_a_run_began_before_its_leap(losses: list[float], level: float) -> None:
    assert began(losses) == pytest.approx(level)


@pytest.mark.parametrize(("share", "certain"), [(0.49, True), (0.51, False)])
def test_two_examples_whose_answers_can_only_be_exchanged_are_judged_batch_by_batch(
    share: float, certain: bool
) -> None:
    """Their gap is one deviation at most, and what permuted answers come to differs from batch to batch."""
    levels = [0.5 if step % 7 == 0 else 2.0 for step in range(40)]
    losses = [0.95 * level for level in levels[:20]] + [share * level for level in levels[20:]]
    found = growth([Measured(loss, level, level - loss, True) for loss, level in zip(losses, levels, strict=True)])

    assert found is not None
    assert found.halved is certain


@pytest.mark.parametrize(("loss", "there"), [(0.85, True), (0.95, False)])
def test_a_gap_that_is_no_small_part_of_the_loss_is_there_whether_it_grew_or_not(loss: float, there: bool) -> None:
    found = growth([Measured(loss, 1.0, 0.05, True) for _ in range(60)])

    assert found is not None
    assert found.there is there
    assert not found.certain
