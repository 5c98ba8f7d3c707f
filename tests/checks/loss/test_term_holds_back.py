import math
from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.term_holds_back import CHECK
from firstlight.records.contrast import Contrast, Level, TermTried
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import Site


def ended(last: float, first: float = 2.0, noise: float = 0.01) -> Level:
    return Level(first=first, last=last, noise=noise, finite=math.isfinite(last))


def term(without: float = 0.5, beside: float = 1.9, *, steps: int = 150, line: int = 22) -> TermTried:
    site = Site(file="train.py", line=line)
    return TermTried(site=site, aside=True, steps=steps, without=ended(without), beside=ended(beside))


def found(*terms: TermTried, answered: bool = True, reached: Level | None = None) -> list[Evidence]:
    contrast = Contrast(
        rank=1, pairs=(), classes=None, loss=None, steps=200, terms=terms, answered=answered, reached=reached
    )
    return list(CHECK.find(contrast, CHECK.limits))


def test_tells_what_the_rest_becomes_with_and_without_it() -> None:
    (evidence,) = found(term())

    assert evidence.saw == (
        "in 150 steps the rest of the loss goes from 2 to 1.9; without the term that is added here, from the same "
        "start, to 0.5"
    )
    assert evidence.wanted == "terms that can fall together"
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 22, 1)


def test_the_one_that_holds_back_most_is_named() -> None:
    (evidence,) = found(term(1.0), term(0.2, line=23))

    assert evidence.where.line == 23


def test_what_may_be_the_task_itself_is_left_alone() -> None:
    assert found(replace(term(), aside=False)) == []


@pytest.mark.parametrize("lost", [math.nan, math.inf])
def test_a_copy_that_breaks_says_nothing(lost: float) -> None:
    assert found(term(lost), term(beside=lost)) == []


def test_a_rest_that_begins_at_nothing_says_nothing() -> None:
    assert found(replace(term(), without=ended(-1.0, first=0.0))) == []


@pytest.mark.parametrize(("steps", "times"), [(39, 0), (40, 1)])
def test_each_side_of_steps(steps: int, times: int) -> None:
    assert len(found(term(steps=steps))) == times


@pytest.mark.parametrize(("without", "times"), [(1.41, 0), (1.39, 1)])
def test_each_side_of_falls(without: float, times: int) -> None:
    """Three tenths of the first value, 2.0."""
    assert len(found(term(without, beside=2.0))) == times


@pytest.mark.parametrize(("beside", "times"), [(1.56, 1), (1.54, 0)])
def test_each_side_of_part(beside: float, times: int) -> None:
    """Three tenths of the way from 2.0 to 0.5."""
    assert len(found(term(beside=beside))) == times


@pytest.mark.parametrize(("noise", "times"), [(0.34, 1), (0.36, 0)])
def test_each_side_of_noises(noise: float, times: int) -> None:
    """Twice the noise of both must lie between 1.9 and 0.5."""
    assert len(found(replace(term(), without=ended(0.5, noise=noise), beside=ended(1.9, noise=noise)))) == times


def guessed(without: float = 0.9, beside: float = 1.0, *, guess: float | None = 1.0, **changes: Any) -> TermTried:
    return replace(term(without, beside), guess=guess, noise=0.001, **changes)


def test_what_never_gets_below_a_guess_is_a_warning() -> None:
    """Half of the fall, from 2.0 to 1.0, needs no look at the inputs."""
    (evidence,) = found(guessed())
    assert evidence.saw.endswith("to 0.9; one output for all inputs gets 1")
    assert evidence.severity is Severity.WARNING
    assert found(guessed(guess=None)) == []


def test_a_mean_beside_a_sum_is_named() -> None:
    (evidence,) = found(guessed(averaged=64.0))
    assert evidence.saw.endswith("it is a sum, and the other a mean over 64 times as many numbers")
    assert evidence.cause == "loss-scale"


@pytest.mark.parametrize(("averaged", "cause"), [(4.0, None), (4.1, "loss-scale")])
def test_each_side_of_uneven(averaged: float, cause: str | None) -> None:
    assert found(guessed(averaged=averaged))[0].cause == cause


@pytest.mark.parametrize(("without", "times"), [(0.981, 0), (0.979, 1), (math.nan, 0)])
def test_each_side_of_beyond(without: float, times: int) -> None:
    """A fiftieth of the guess."""
    assert len(found(guessed(without))) == times


@pytest.mark.parametrize(("last", "times"), [(0.981, 1), (0.979, 0), (math.nan, 0)])
def test_a_program_that_gets_below_the_guess_later_is_only_delayed(last: float, times: int) -> None:
    assert len(found(guessed(), reached=ended(last))) == times


@pytest.mark.parametrize(("noise", "times"), [(0.049, 1), (0.051, 0), (math.nan, 0)])
def test_a_gain_beyond_the_guess_is_clear_of_its_own_noise(noise: float, times: int) -> None:
    assert len(found(replace(guessed(), noise=noise))) == times


def test_a_loss_that_need_not_fall_says_nothing() -> None:
    assert found(term(), answered=False) == []
