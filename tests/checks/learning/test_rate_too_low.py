import math

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.rate_too_low import CHECK
from firstlight.records.contrast import Contrast, Level, Pair, ScoreTold, WholeRun
from firstlight.records.finding import Evidence
from firstlight.records.places import Site


def ended(last: float, first: float = 2.0) -> Level:
    return Level(first=first, last=last, noise=0.01, finite=math.isfinite(last))


def pair(last: float = 0.5, base: float = 1.99, *, name: str = "lr-tenfold", steps: int = 150) -> Pair:
    return Pair(name=name, steps=steps, base=ended(base), other=ended(last))


def found(
    *pairs: Pair,
    supervised: bool = True,
    lr: float | None = 1e-5,
    whole: tuple[WholeRun, ...] = (),
    reached: Level | None = None,
    accumulated: float = 1.0,
) -> list[Evidence]:
    contrast = Contrast(
        rank=1,
        pairs=pairs,
        classes=8,
        loss="cross_entropy",
        steps=200,
        supervised=supervised,
        lr=lr,
        lr_site=Site(file="train.py", line=16),
        whole=whole,
        reached=reached,
        accumulated=accumulated,
    )
    return list(CHECK.find(contrast, CHECK.limits))


def test_tells_both_ends_and_the_rate() -> None:
    (evidence,) = found(pair())

    assert evidence.saw == (
        "in 150 steps the loss went from 2 to 1.99; with 10 times the learning rate, from the same start, to 0.5"
    )
    assert evidence.wanted == "visible progress within the first hundred steps"
    assert evidence.do == "multiply the learning rate by 10, from 1e-05 to 0.0001, and check again"
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 16, 1)
    assert evidence.numbers == {"base": 1.99, "higher": 0.5, "factor": 10}


def test_a_loss_that_need_not_fall_says_nothing() -> None:
    assert found(pair(), supervised=False) == []


def test_a_rate_that_is_not_known_is_not_told() -> None:
    assert found(pair(), lr=None)[0].do == "multiply the learning rate by 10 and check again"


def test_a_hundredfold_counts_where_tenfold_is_not_enough() -> None:
    (evidence,) = found(pair(1.9), pair(0.3, name="lr-hundredfold"))

    assert "with 100 times the learning rate" in evidence.saw


def test_one_is_enough() -> None:
    assert len(found(pair(), pair(0.3, name="lr-hundredfold"))) == 1


@pytest.mark.parametrize("name", ["lr-tenth", "same-again", "sharpened"])
def test_other_copies_say_nothing(name: str) -> None:
    assert found(pair(name=name)) == []


@pytest.mark.parametrize("last", [math.inf, math.nan, 1.99, 3.0])
def test_a_higher_rate_that_does_not_help_says_nothing(last: float) -> None:
    assert found(pair(last)) == []


def test_a_higher_rate_that_blew_up_and_came_back_has_not_learnt() -> None:
    """From 30 at its first steps to 2.1 is no progress from where both began, at 2.0."""
    assert found(replace(pair(), other=ended(2.1, first=30.0))) == []


@pytest.mark.parametrize(("steps", "times"), [(50, 0), (99, 0), (100, 1), (101, 1)])
def test_each_side_of_steps(steps: int, times: int) -> None:
    assert len(found(pair(steps=steps))) == times


@pytest.mark.parametrize(
    ("base", "times"), [(2.5, 0), (2.041, 0), (2.039, 1), (1.97, 1), (1.961, 1), (1.959, 0), (1.925, 0)]
)
def test_each_side_of_stands(base: float, times: int) -> None:
    """A fiftieth of the first loss, 2.0; one that has risen does not stand either."""
    assert len(found(pair(base=base))) == times


@pytest.mark.parametrize(("last", "times"), [(1.7, 0), (1.41, 0), (1.39, 1), (0.85, 1)])
def test_each_side_of_moves(last: float, times: int) -> None:
    """Three tenths of the first loss, 2.0."""
    assert len(found(pair(last))) == times


@pytest.mark.parametrize(("base", "times"), [(1.59, 1), (1.61, 1), (1.55, 0)])
def test_where_a_copy_never_moved_it_is_the_start(base: float, times: int) -> None:
    """Batches that get easier by themselves, from 2.0 to 1.6, are not learnt."""
    unmoved = pair(1.6, base, name="unmoved")

    assert len(found(pair(0.5, base), unmoved)) == times


def test_one_that_ran_for_other_steps_is_no_start() -> None:
    assert found(pair(0.5, 1.6), pair(1.6, 1.6, name="unmoved", steps=120)) == []


def test_a_hand_written_loss_in_which_predictions_meet_answers_is_meant_to_fall() -> None:
    contrast = Contrast(pairs=(pair(),), classes=None, loss=None, steps=200, answered=True)

    assert len(list(CHECK.find(contrast, CHECK.limits))) == 1


def run(ahead: float = 0.5, *told: ScoreTold, name: str = "whole-tenfold") -> WholeRun:
    return WholeRun(name=name, steps=900, base=ended(1.2), other=ended(0.4), ahead=ahead, told=told)


def at_a_hundred(last: float = 0.9) -> WholeRun:
    """Further than the program, and not as far as ten times the rate."""
    return replace(run(0.1, name="whole-hundredfold"), other=ended(last))


def score(was: float, now: float) -> ScoreTold:
    return ScoreTold(name="test accuracy", was=was, now=now, better=now > was)


def test_a_rate_that_learns_mismatched_pairs_by_heart_is_no_better_one() -> None:
    blind = Pair(name="permuted-targets", steps=150, base=ended(1.9), other=ended(2.0))
    by_heart = Pair(name="mismatched", steps=150, base=ended(1.8), other=ended(1.8))
    assert found(pair(), blind, replace(by_heart, other=ended(2.0)), whole=(run(), at_a_hundred()))
    assert not found(pair(), blind, by_heart, whole=(run(), at_a_hundred()))


def test_tells_what_the_whole_run_reaches() -> None:
    (evidence,) = found(whole=(run(0.5, score(0.6, 0.9)), at_a_hundred()))

    assert evidence.saw == (
        "by the end of its run the loss went from 2 to 1.2; with 10 times the learning rate, in 900 steps, to 0.4, and "
        "its own `test accuracy` is 0.9 instead of 0.6"
    )
    assert evidence.do == "multiply the learning rate by 10, from 1e-05 to 0.0001, or train far longer"


def test_the_best_rung_of_whole_runs_is_told() -> None:
    further = replace(run(0.7, name="whole-hundredfold"), other=ended(0.1))

    assert "with 100 times" in found(whole=(run(), further))[0].saw


@pytest.mark.parametrize(("ahead", "times"), [(0.29, 0), (0.3, 1), (math.nan, 0)])
def test_each_side_of_ahead(ahead: float, times: int) -> None:
    assert len(found(whole=(run(ahead), at_a_hundred()))) == times


@pytest.mark.parametrize(("now", "times"), [(0.919, 1), (0.917, 0), (0.9, 0), (0.87, 0), (math.nan, 0)])
def test_a_lower_loss_is_of_no_use_where_the_score_is_no_better(now: float, times: int) -> None:
    falls = ScoreTold(name="loss", was=1.2, now=0.4, better=True)

    assert len(found(whole=(run(0.5, falls, score(0.9, now)), at_a_hundred()))) == times


@pytest.mark.parametrize(("now", "times"), [(0.4, 1), (0.917, 1), (0.919, 0), (math.nan, 0)])
def test_where_losses_alone_are_printed_none_may_be_worse(now: float, times: int) -> None:
    told = ScoreTold(name="val loss", was=0.9, now=now, better=now < 0.9)

    assert len(found(whole=(run(0.5, told), at_a_hundred()))) == times


@pytest.mark.parametrize(("last", "times"), [(0.1, 1), (1.19, 1), (1.21, 0), (math.inf, 0), (math.nan, 0)])
def test_a_best_rate_that_is_nearer_to_the_programs_own_is_a_matter_of_tuning(last: float, times: int) -> None:
    assert len(found(whole=(run(), at_a_hundred(last)))) == times


def test_without_a_run_at_a_hundred_times_the_rate_it_is_not_known_how_far_the_best_is() -> None:
    assert found(whole=(run(),)) == []


@pytest.mark.parametrize(("reached", "times"), [(1.99, 1), (1.41, 1), (1.39, 0), (math.inf, 1), (math.nan, 0)])
def test_a_plateau_that_the_program_leaves_later_is_none_of_its_rate(reached: float, times: int) -> None:
    later = Level(first=2.0, last=reached, noise=0.01, finite=not math.isinf(reached))

    assert len(found(pair(), reached=later)) == times


@pytest.mark.parametrize(("steps", "times"), [(300, 0), (399, 0), (400, 1)])
def test_steps_are_those_of_the_optimizer(steps: int, times: int) -> None:
    told = found(pair(steps=steps), accumulated=4.0)

    assert len(told) == times
    assert all(one.saw.startswith("in 100 steps") for one in told)
