import math

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.rate_too_high import CHECK
from firstlight.facts.contrast import cures
from firstlight.records.contrast import Contrast, Level, Pair, ScoreTold, WholeRun
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import Site


def ended(first: float, last: float) -> Level:
    return Level(first=first, last=last, noise=0.01, finite=math.isfinite(last))


def pair(last: float = 0.5, base: float = 2.4, *, first: float = 2.0, steps: int = 150, name: str = "lr-tenth") -> Pair:
    made = Pair(name=name, steps=steps, base=ended(first, base), other=ended(min(first, 2.0), last))
    return replace(made, cured=cures(made))


def found(
    *pairs: Pair, supervised: bool = True, lr: float | None = 3.0, whole: tuple[WholeRun, ...] = ()
) -> list[Evidence]:
    contrast = Contrast(
        rank=1,
        pairs=pairs,
        classes=8,
        loss="cross_entropy",
        steps=200,
        supervised=supervised,
        lr=lr,
        lr_site=Site(file="train.py", line=15),
        whole=whole,
    )
    return list(CHECK.find(contrast, CHECK.limits))


def test_tells_both_ends_and_the_rate() -> None:
    (evidence,) = found(pair())

    assert evidence.saw == (
        "in 150 steps the loss went from 2 to 2.4; with the learning rate divided by 10, from the same start, to 0.5"
    )
    assert evidence.wanted == "at least half as much learned as at a lower learning rate"
    assert evidence.do == "divide the learning rate by 10, from 3 to 0.3, and check again"
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 15, 1)
    assert evidence.numbers == {"base": 2.4, "lower": 0.5, "divisor": 10}


def test_it_is_a_symptom() -> None:
    """A finding that names the cause goes first: piled-up gradients are too long steps as well."""
    assert CHECK.symptom


def test_a_loss_that_need_not_fall_says_nothing() -> None:
    assert found(pair(), supervised=False) == []


def test_a_rate_that_is_not_known_is_not_told() -> None:
    assert found(pair(), lr=None)[0].do == "divide the learning rate by 10 and check again"


def test_a_loss_that_is_no_longer_finite_counts() -> None:
    (evidence,) = found(pair(base=math.inf))

    assert "from 2 to a value that is not finite" in evidence.saw


def test_a_start_that_blew_up_at_once_is_measured_by_the_slower_copy() -> None:
    """Both begin with the same weights; 600 at the first steps and 2.4 in the end is no progress."""
    (evidence,) = found(pair(first=600.0))

    assert "from 2 to 2.4" in evidence.saw


def test_without_the_slower_copy_nothing_is_said() -> None:
    assert found() == []


@pytest.mark.parametrize("last", [math.inf, math.nan, 2.0, 5.0])
def test_a_lower_rate_that_does_not_help_says_nothing(last: float) -> None:
    assert found(pair(last)) == []


@pytest.mark.parametrize("first", [0.0, -3.0])
def test_losses_that_are_not_positive_have_no_share(first: float) -> None:
    assert found(pair(first=first)) == []


@pytest.mark.parametrize(("steps", "times"), [(20, 0), (39, 0), (40, 1), (41, 1)])
def test_each_side_of_steps(steps: int, times: int) -> None:
    assert len(found(pair(steps=steps))) == times


@pytest.mark.parametrize(("base", "times"), [(1.9, 1), (1.26, 1), (1.24, 0), (0.5, 0)])
def test_a_program_that_learns_half_as_much_itself_has_a_fair_rate(base: float, times: int) -> None:
    """The slower copy comes from 2.0 to 0.5."""
    assert len(found(pair(base=base))) == times


def test_the_rung_that_learns_most_is_named() -> None:
    (evidence,) = found(pair(1.2), pair(0.3, name="lr-hundredth"), pair(0.9, name="lr-thousandth"))

    assert "divided by 100" in evidence.saw
    assert evidence.do == "divide the learning rate by 100, from 3 to 0.03, and check again"


@pytest.mark.parametrize(("last", "times"), [(1.65, 0), (1.31, 0), (1.29, 1), (0.61, 1)])
def test_each_side_of_moves(last: float, times: int) -> None:
    """Seven twentieths of the first loss, 2.0."""
    assert len(found(pair(last))) == times


def run(ahead: float = 0.5, *told: ScoreTold) -> WholeRun:
    base, other = ended(2.0, 1.2), ended(2.0, 0.4)
    return WholeRun(name="whole-tenth", steps=900, base=base, other=other, ahead=ahead, told=told)


def test_tells_what_the_whole_run_reaches() -> None:
    (evidence,) = found(whole=(run(),))

    assert evidence.saw == (
        "by the end of its run the loss went from 2 to 1.2; with the learning rate divided by 10, in 900 steps, to 0.4"
    )
    assert evidence.severity is Severity.WARNING


@pytest.mark.parametrize(("ahead", "times"), [(0.29, 0), (0.3, 1), (math.nan, 0)])
def test_each_side_of_ahead(ahead: float, times: int) -> None:
    assert len(found(whole=(run(ahead),))) == times


@pytest.mark.parametrize(("now", "times"), [(0.488, 1), (0.492, 0), (0.507, 0), (0.52, 0), (math.nan, 0)])
def test_a_lower_loss_is_of_no_use_where_the_score_is_no_better(now: float, times: int) -> None:
    assert len(found(whole=(run(0.5, ScoreTold(name="val error", was=0.5, now=now, better=now < 0.5)),))) == times
