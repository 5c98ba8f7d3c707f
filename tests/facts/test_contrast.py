import math
import statistics
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from firstlight.facts.contrast import (
    ENDS,
    LEAST_PART,
    LEAST_SHARE,
    LEAST_STEPS,
    MOST_APART,
    NOISES,
    UNPAIRED,
    Fed,
    behind,
    contrast,
    cures,
    improves,
    level,
    lost,
)
from firstlight.records.contrast import Contrast, Level, Pair, Timeline
from firstlight.records.facts import LossSite
from firstlight.records.places import Site
from firstlight.records.sighting import TensorCard
from firstlight.records.training import StepSeen

BROKEN = (math.nan, math.inf, -math.inf)
finite_losses = st.floats(min_value=-1e9, max_value=1e9)
any_losses = st.one_of(finite_losses, st.sampled_from(BROKEN))
LOSS = LossSite(
    function="cross_entropy",
    site=Site(file="train.py", line=9),
    calls=12,
    first_step=0,
    prediction=TensorCard(shape=(50, 10), dtype="float32"),
    target=None,
    made_by=None,
    made_at=None,
    class_sum_error=None,
    class_logsum_error=None,
    target_sum_error=None,
    most_ignored=0.0,
    least_ignored=0.0,
    first_value=2.0,
)
STEP = StepSeen(
    step=0,
    optimizer=0,
    name="SGD",
    site=Site(file="train.py", line=12),
    backward_site=Site(file="train.py", line=11),
    loss=2.0,
    seconds=0.0,
    backwards=1,
    closure=False,
    held=4,
    fresh=4,
    stale=0,
    empty=False,
    built=Site(file="train.py", line=5),
    lr=0.3,
)


def line(name: str, *losses: float, tail: int = 0) -> Timeline:
    return Timeline(name=name, interventions=(), losses=losses, seconds=1.0, tail=tail)


FED = Fed(by_loader=True, calls=1)


def compare(*timelines: Timeline, loss: LossSite | None = LOSS, fed: Fed = FED) -> Contrast | None:
    return contrast(timelines, loss=loss, first_step=STEP, fed=fed)


def compared(*timelines: Timeline, **given_: Any) -> Contrast:
    found = compare(*timelines, **given_)
    assert found is not None
    return found


def pair(base: float = 2.0, other: float = 1.0, *, noises: tuple[float, float] = (0.0, 0.0), **ends: bool) -> Pair:
    return Pair(
        name="repair",
        steps=150,
        base=Level(first=2.5, last=base, noise=noises[0], finite=ends.get("base_finite", True)),
        other=Level(first=2.5, last=other, noise=noises[1], finite=ends.get("other_finite", True)),
    )


class TestLevel:
    def test_both_ends_and_the_noise(self) -> None:
        found = level((5.0, 1.0, 2.0, 3.0, 4.0, 9.0, 1.0, 1.0, 2.0, 3.0, 8.0))

        assert found == Level(first=3.0, last=3.0, noise=1.0, finite=True)

    def test_one_odd_loss_does_not_move_the_start(self) -> None:
        assert level((2.0, 900.0, 2.0, 2.0, 2.0, *[1.0] * 5)).first == 2.0

    def test_a_spike_at_the_end_counts(self) -> None:
        """A mean: a run that keeps spiking has not settled."""
        assert level((1.0,) * 9 + (11.0,)).last == 3.0

    @pytest.mark.parametrize(("count", "window"), [(10, 5), (59, 5), (60, 6), (150, 15)])
    def test_the_end_is_a_tenth_and_five_at_least(self, count: int, window: int) -> None:
        assert level((4.0,) * (count - window) + (1.0,) * window).last == 1.0
        assert level((4.0,) * (count - window + 1) + (1.0,) * (window - 1)).last > 1.0

    def test_a_tail_is_the_end(self) -> None:
        assert level((4.0,) * 147 + (1.0,) * 3, tail=3).last == 1.0

    @pytest.mark.parametrize("bad", BROKEN)
    @pytest.mark.parametrize("place", [0, 4, 9])
    def test_a_loss_that_is_not_finite_ends_at_infinity(self, bad: float, place: int) -> None:
        losses = [2.0] * 10
        losses[place] = bad

        assert level(losses) == Level(first=2.0, last=math.inf, noise=0.0, finite=False)

    def test_nothing_but_broken_losses(self) -> None:
        assert level(BROKEN) == Level(first=math.inf, last=math.inf, noise=0.0, finite=False)

    @pytest.mark.parametrize(("second", "first"), [(4.1, 2.0), (3.9, 3.9), (2.1, 2.1)])
    def test_a_run_that_leaps_up_at_once_began_before_the_leap(self, second: float, first: float) -> None:
        assert level([2.0, *[second] * 8]).first == first

    @given(losses=st.lists(finite_losses, min_size=1, max_size=200), tail=st.integers(0, 20))
    def test_ends_lie_within_the_losses(self, losses: list[float], tail: int) -> None:
        found = level(losses, tail)

        assert found.finite
        assert min(losses) <= found.first <= max(losses)
        assert found.first in (statistics.median(losses[:ENDS]), losses[0])
        assert min(losses) - 1e-3 <= found.last <= max(losses) + 1e-3
        assert 0 <= found.noise <= max(losses) - min(losses)

    @given(losses=st.lists(any_losses, min_size=1, max_size=60))
    def test_nothing_is_ever_nan(self, losses: list[float]) -> None:
        found = level(losses)

        assert found.finite == all(math.isfinite(value) for value in losses)
        assert not any(math.isnan(value) for value in (found.first, found.last, found.noise))

    @given(value=finite_losses, count=st.integers(1, 200))
    def test_a_constant_has_no_noise(self, value: float, count: int) -> None:
        found = level((value,) * count)

        assert (found.first, found.noise) == (value, 0.0)
        assert found.last == pytest.approx(value)


class TestImproves:
    @pytest.mark.parametrize(
        ("other", "better"), [(2.5, False), (2.0, False), (1.61, False), (1.59, True), (0.0, True)]
    )
    def test_each_side_of_the_least_share(self, other: float, better: bool) -> None:
        """A fifth of the program's own 2.0."""
        assert LEAST_SHARE == 0.2
        assert improves(pair(other=other)) is better

    @pytest.mark.parametrize("noises", [(0.4, 0.0), (0.0, 0.4), (0.2, 0.2)])
    @pytest.mark.parametrize(("other", "better"), [(1.5, False), (1.21, False), (1.19, True)])
    def test_each_side_of_the_noise_of_both(self, noises: tuple[float, float], other: float, better: bool) -> None:
        assert NOISES == 2.0
        assert improves(pair(other=other, noises=noises)) is better

    def test_a_negative_loss_improves_by_a_share_of_its_size(self) -> None:
        assert improves(pair(base=-2.0, other=-2.41))
        assert not improves(pair(base=-2.0, other=-2.39))

    def test_a_repair_that_breaks_is_none(self) -> None:
        assert not improves(pair(other=math.inf, other_finite=False))
        assert not improves(pair(base=math.inf, other=math.inf, base_finite=False, other_finite=False))

    @pytest.mark.parametrize(("other", "better"), [(2.4, True), (2.5, False), (2.6, False)])
    def test_a_broken_program_is_mended_by_any_fall(self, other: float, better: bool) -> None:
        """Below its own start, 2.5."""
        assert improves(pair(base=math.inf, other=other, base_finite=False)) is better

    @pytest.mark.parametrize(("other", "better"), [(1.5, False), (1.01, False), (0.99, True)])
    def test_runs_that_did_not_begin_alike_must_differ_by_half(self, other: float, better: bool) -> None:
        assert UNPAIRED * LEAST_SHARE == 0.5
        assert improves(replace(pair(other=other), paired=False)) is better

    @pytest.mark.parametrize(("first", "better"), [(2.5, True), (1.9, True), (1.85, False), (3.2, False)])
    def test_and_began_too_far_apart_beyond_a_quarter(self, first: float, better: bool) -> None:
        """Of the program's own 2.5."""
        began = pair(other=0.1)
        assert MOST_APART == 0.25
        assert improves(replace(began, paired=False, other=replace(began.other, first=first))) is better

    def test_and_a_program_that_breaks_may_have_had_bad_luck(self) -> None:
        assert not improves(replace(pair(base=math.inf, other=0.1, base_finite=False), paired=False))

    @given(base=finite_losses, other=finite_losses, noise=st.floats(0, 1e6))
    def test_what_unpaired_runs_prove_paired_ones_prove_too(self, base: float, other: float, noise: float) -> None:
        paired = pair(base, other, noises=(noise, noise))
        assert improves(paired) or not improves(replace(paired, paired=False))

    @given(base=finite_losses, other=finite_losses, noise=st.floats(0, 1e6))
    def test_it_never_holds_both_ways_and_never_for_the_same(self, base: float, other: float, noise: float) -> None:
        there, back = pair(base, other, noises=(noise, noise)), pair(other, base, noises=(noise, noise))

        assert not (improves(there) and improves(back))
        assert not improves(pair(base, base))

    @given(base=finite_losses, other=finite_losses, noise=st.floats(0, 1e6), more=st.floats(0, 1e6))
    def test_more_noise_proves_no_more(self, base: float, other: float, noise: float, more: float) -> None:
        if not improves(pair(base, other, noises=(noise, 0.0))):
            assert not improves(pair(base, other, noises=(noise + more, 0.0)))

    @given(losses=st.lists(any_losses, min_size=1, max_size=60))
    def test_a_run_does_not_improve_on_itself(self, losses: list[float]) -> None:
        ends = level(losses)

        assert not improves(Pair(name="same-again", steps=len(losses), base=ends, other=ends))


class TestContrast:
    def test_each_timeline_is_set_against_the_program_over_the_same_steps(self) -> None:
        falling = tuple(2.0 - 0.01 * step for step in range(200))
        found = compared(line("baseline", *falling), line("lr-tenth", *[2.0] * 150))
        (only,) = found.pairs

        assert (only.name, only.steps, found.steps) == ("lr-tenth", 150, 200)
        assert only.base == level(falling[:150])
        assert only.other == level([2.0] * 150)

    def test_a_longer_timeline_is_cut_to_the_program(self) -> None:
        (only,) = compared(line("baseline", *[2.0] * 50), line("lr-tenth", *[2.0] * 50, *[1.0] * 100)).pairs

        assert (only.steps, only.other.last) == (50, 2.0)

    def test_a_tail_is_kept_whole(self) -> None:
        tailed = line("regularised", *[2.0] * 95, *[0.5] * 5, tail=5)
        (only,) = compared(line("baseline", *[2.0] * 50), tailed).pairs

        assert only.other.last == 0.5

    def test_copies_that_are_held_against_each_other_are_as_long_as_each_other(self) -> None:
        """One that drops is slower: in the same seconds it makes fewer steps, and never gets to its tail."""
        plateau, after = [2.0] * 60, [0.5] * 90
        slow, fast = line("regularised", *plateau), line("unregularised", *plateau, *after, tail=5)
        short, long = compared(line("baseline", *plateau, *after), slow, fast).pairs
        (alone,) = compared(line("baseline", *plateau, *after), fast).pairs

        assert (short.other.last, long.other.last, long.steps) == (2.0, 2.0, 60)
        assert alone.other.last == 0.5

    def test_what_is_learnt_by_heart_is_measured_from_as_many_steps_as_what_is_learnt_blindly(self) -> None:
        """Made first, with all others, a copy has less time than one that is made last and alone."""
        base = line("baseline", *[3.0] * 50, *[1.5] * 100)
        blind, heart = line("permuted-targets", *[3.0] * 50), line("mismatched", *[3.0] * 50, *[1.6] * 100)
        even = line("permuted-targets", *[3.0] * 50, *[1.7] * 100)

        assert compared(base, blind, heart).by_heart(0.05) is None
        assert compared(base, even, heart).by_heart(0.05) == pytest.approx(0.5)

    def test_how_far_the_program_itself_got(self) -> None:
        assert compared(line("baseline", *[2.0] * 50, *[0.5] * 50)).reached == level([2.0] * 50 + [0.5] * 50)

    def test_the_loss_and_the_rate_it_is_about(self) -> None:
        found = compared(line("baseline", *[2.0] * 30))

        assert (found.loss, found.classes, found.loss_site) == ("cross_entropy", 10, LOSS.site)
        assert (found.lr, found.lr_site) == (0.3, STEP.built)

    def test_without_a_known_loss_or_step(self) -> None:
        found = contrast([line("baseline", *[2.0] * 30)], loss=None, first_step=None, fed=FED)

        reached = level([2.0] * 30)
        assert found == Contrast(pairs=(), classes=None, loss=None, steps=30, reached=reached, by_loader=True)

    @pytest.mark.parametrize(
        ("calls", "shape", "compares"),
        [(1, (50, 10), False), (2, (50, 10), True), (1, (50, 50), True), (1, (50,), False)],
    )
    def test_whether_rows_are_compared_with_each_other(
        self, calls: int, shape: tuple[int, ...], compares: bool
    ) -> None:
        loss = replace(LOSS, prediction=TensorCard(shape=shape, dtype="float32"))
        found = compared(line("baseline", *[2.0] * 30), loss=loss, fed=Fed(by_loader=True, calls=calls))

        assert found.compares_rows is compares

    def test_a_loss_that_is_meant_to_fall(self) -> None:
        flat = line("baseline", *[2.0] * 30)

        assert compared(flat).supervised
        assert compared(flat, fed=Fed(by_loader=False, calls=1)).supervised
        guided = replace(LOSS, function="mse_loss")
        assert compared(flat, loss=guided).supervised
        assert not compared(flat, loss=guided, fed=Fed(by_loader=False, calls=1)).supervised
        assert not compared(flat, loss=None).supervised
        assert not compared(flat, loss=replace(LOSS, first_value=None)).supervised

    @pytest.mark.parametrize("value", [0.0, -2.0])
    def test_losses_below_zero_are_not_known_to_be_meant_to_fall(self, value: float) -> None:
        assert not compared(line("baseline", *[value] * 30), loss=replace(LOSS, first_value=value)).supervised

    @pytest.mark.parametrize(
        ("part", "supervised"), [(0.49, False), (0.51, True), (1.0, True), (1.99, True), (2.01, False)]
    )
    def test_each_side_of_the_least_part(self, part: float, supervised: bool) -> None:
        """The known loss against what backward is called on, 2.0: a half to twice of it."""
        assert LEAST_PART == 0.5
        found = compared(line("baseline", *[2.0] * 30), loss=replace(LOSS, first_value=2.0 * part))

        assert found.supervised is supervised

    def test_no_program_no_contrast(self) -> None:
        assert compare() is None
        assert compare(line("lr-tenth", *[2.0] * 50)) is None

    @pytest.mark.parametrize(("steps", "there"), [(0, False), (LEAST_STEPS - 1, False), (LEAST_STEPS, True)])
    def test_each_side_of_the_least_steps_of_the_program(self, steps: int, there: bool) -> None:
        assert (compare(line("baseline", *[2.0] * steps)) is not None) is there

    @pytest.mark.parametrize(("steps", "pairs"), [(0, 0), (LEAST_STEPS - 1, 0), (LEAST_STEPS, 1)])
    def test_each_side_of_the_least_steps_of_a_timeline(self, steps: int, pairs: int) -> None:
        assert len(compared(line("baseline", *[2.0] * 50), line("fp32", *[2.0] * steps)).pairs) == pairs

    @pytest.mark.parametrize("bad", BROKEN)
    def test_a_timeline_that_broke_early_is_told(self, bad: float) -> None:
        (only,) = compared(line("baseline", *[2.0] * 50), line("lr-tenfold", 2.0, 9.0, bad)).pairs

        assert (only.steps, only.other.finite, only.base.finite) == (3, False, True)


def ends(first: float, last: float) -> Level:
    return Level(first=first, last=last, noise=0.01, finite=math.isfinite(last))


class TestCures:
    @pytest.mark.parametrize(("base", "cured"), [(1.6, True), (1.4, True), (1.0, False), (0.4, False)])
    def test_a_program_that_gets_half_as_far_by_itself_is_not_cured(self, base: float, cured: bool) -> None:
        assert cures(Pair(name="fp32", steps=150, base=ends(2.0, base), other=ends(2.0, 0.2))) is cured

    def test_both_are_measured_from_the_lower_start(self) -> None:
        """Fresh weights begin at 2.3; the program began at 50, and is at 3 no better than a guess."""
        assert cures(Pair(name="reinitialise", steps=150, base=ends(50.0, 3.0), other=ends(2.3, 0.1)))

    def test_a_program_that_broke_is_cured_by_what_learns(self) -> None:
        assert cures(Pair(name="lr-tenth", steps=150, base=ends(2.0, math.inf), other=ends(2.0, 1.0)))

    def test_no_better_is_no_cure(self) -> None:
        assert not cures(Pair(name="fp32", steps=150, base=ends(2.0, 2.0), other=ends(2.0, 2.0)))


def test_pairs_know_how_often_the_copy_is_below() -> None:
    found = compared(line("baseline", *[2.0] * 40), line("fp32", *[2.0] * 20, *[1.9] * 15, *[2.1] * 5))

    (pair,) = found.pairs
    assert pair.below == 0.75
    assert not pair.cured


def test_targets_in_another_unit_are_told_in_the_programs_own() -> None:
    found = compared(line("baseline", *[1000.0] * 40), line("targets-standardised", *[1.0] * 20, *[0.1] * 20))

    (pair,) = found.pairs
    assert pair.other.first == 1000.0
    assert pair.other.last == pytest.approx(100.0)
    assert pair.cured


def test_lost_is_a_share_of_the_first_loss() -> None:
    assert lost(ends(4.0, 1.0)) == 0.75
    assert lost(ends(4.0, math.inf)) == -math.inf


def test_a_mean_is_told_in_the_unit_of_the_sum() -> None:
    """Dividing by the number of terms makes every loss smaller, and learns no better by that."""
    found = compared(line("baseline", *[32.0] * 20, *[16.0] * 20), line("mean-reduction", *[1.0] * 20, *[0.5] * 20))

    (pair,) = found.pairs
    assert (pair.other.first, pair.other.last) == (32.0, 16.0)
    assert not pair.cured


def falling(first: float, last: float, steps: int = 40) -> tuple[float, ...]:
    return tuple(first + (last - first) * place / (steps - 1) for place in range(steps))


@pytest.mark.parametrize(
    ("as_it_is", "flipped", "proven"),
    [
        (falling(-2.3, -40.0), falling(2.3, 0.1), True),  # the loss itself, which was maximised
        (falling(0.5, 0.4), falling(-0.5, -1.4), False),  # a hinge, maximised
        (falling(-0.1, -0.9), falling(0.1, -0.9), False),  # a similarity: as good either way
        (falling(-2.3, -40.0), falling(2.3, 2.3), False),
    ],
)
def test_a_flipped_sign_is_proven_by_a_loss_that_falls_above_zero(
    as_it_is: tuple[float, ...], flipped: tuple[float, ...], proven: bool
) -> None:
    pair = compared(line("baseline", *as_it_is), line("sign-flipped", *flipped)).of("sign-flipped")

    assert (pair is not None and improves(pair)) is proven


def reached(last: float, first: float = 2.0, noise: float = 0.0) -> Level:
    return Level(first=first, last=last, noise=noise, finite=math.isfinite(last))


def test_what_the_program_did_not_gain_is_counted_from_the_guess_where_it_is_known() -> None:
    assert behind(reached(1.5), reached(0.5), None) == pytest.approx(1.0 / 1.5)
    assert behind(reached(1.0), reached(0.5), 1.0) == pytest.approx(1.0)
    assert behind(reached(1.5), reached(0.5), 3.0) == pytest.approx(1.0 / 1.5)


def test_a_copy_that_is_ahead_by_little_or_by_its_noise_is_not_ahead() -> None:
    assert behind(reached(0.64), reached(0.5), 0.7) == 0.0
    assert behind(reached(0.7), reached(0.5), 0.7) > 0.0
    assert behind(reached(0.7, noise=0.06), reached(0.5, noise=0.06), None) == 0.0
    assert behind(reached(0.4), reached(0.5), None) == 0.0
    assert behind(reached(math.nan), reached(0.5), None) == 0.0
    assert behind(reached(1.0), reached(math.nan), None) == 0.0


def test_a_loss_that_another_optimizer_or_the_networks_own_answers_may_raise_is_not_meant_to_fall() -> None:
    lines = [line("baseline", *[2.0] * LEAST_STEPS)]
    ways = (
        Fed(by_loader=True, calls=1),
        Fed(by_loader=True, calls=1, against=True),
        Fed(by_loader=True, calls=1, own=True),
    )
    told = [contrast(lines, LOSS, STEP, fed) for fed in ways]

    assert [one is not None and one.meant_to_fall for one in told] == [True, False, False]
