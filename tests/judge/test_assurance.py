"""The numbers behind a verdict."""

import math

import pytest
from msgspec.structs import replace
from tests.checks.data import relating

from firstlight.judge.assurance import assurance_of, headline
from firstlight.records.assurance import Assurance, Beside
from firstlight.records.contrast import Contrast, Level, Pair
from firstlight.records.dealings import Returning
from firstlight.records.facts import LossCurve
from firstlight.records.flows import Guessed, Place
from firstlight.records.learning import CERTIFIED, NOT_CERTIFIED, LearningSign
from firstlight.records.places import Site
from firstlight.records.rehearsal import Rehearsal
from firstlight.records.relations import Skills
from firstlight.report.assurance import rows

SITE = Site(file="train.py", line=30)
HEARD = Level(first=2.3, last=0.1, noise=0.0, finite=True)
DULL = Level(first=2.3, last=2.2, noise=0.0, finite=True)


def _pair(name: str, other: Level) -> Pair:
    return Pair(name=name, steps=150, base=HEARD, other=other, below=0.0)


def _contrast(by_loader: bool, supervised: bool) -> Contrast:
    pairs = (_pair("one-batch", HEARD), _pair("permuted-targets", DULL))
    return Contrast(rank=0, pairs=pairs, classes=None, loss=None, steps=150, by_loader=by_loader, supervised=supervised)


def _sign(step: int) -> LearningSign:
    return LearningSign(
        step=step,
        rank=0,
        status=CERTIFIED,
        reason="",
        site=SITE,
        meeting=SITE,
        own_answers=False,
        steps=16,
        fresh=16,
        first=2.3,
        last=2.2,
        without_inputs=2.3,
        gap_first=0.0,
        gap_last=0.1,
        grown_low=0.1,
        grown_high=0.2,
        milliseconds=1.0,
    )


def _curve(*values: float) -> LossCurve:
    return LossCurve(rank=0, site=SITE, optimizers=1, values=values, weight_norms=(), lr=0.1)


def test_a_loss_that_goes_on_falling_after_the_certificate_is_told_to_its_end() -> None:
    learns = assurance_of([_sign(348), _contrast(True, True), _curve(*[2.3] * 340, *[0.5] * 8)]).learns
    assert learns is not None
    assert (learns.first, learns.last, learns.steps, learns.without_inputs) == (2.3, 0.5, 348, 2.3)


def test_a_loss_that_is_not_finite_at_its_end_is_told_up_to_the_certificate() -> None:
    learns = assurance_of([_sign(348), _contrast(True, True), _curve(*[2.3] * 340, math.nan)]).learns
    assert learns is not None
    assert (learns.last, learns.steps) == (2.2, 16)


def test_a_short_run_is_told_as_far_as_its_copies_went() -> None:
    learns = assurance_of([_sign(100), _contrast(True, True), _curve(*[2.3] * 100)]).learns
    assert learns is not None
    assert (learns.last, learns.steps, learns.without_inputs) == (0.1, 150, 2.2)


def test_a_batch_is_told_as_learnt_by_heart_only_where_it_could_be_given_again() -> None:
    assert assurance_of([_contrast(True, False)]).by_heart is not None
    assert assurance_of([_contrast(False, True)]).by_heart is not None
    assert assurance_of([_contrast(False, False)]).by_heart is None


def _guess(guess: float) -> Guessed:
    return Guessed(
        rank=0,
        site=SITE,
        first=2.3,
        first_guess=guess,
        tenth=2.3,
        step=192,
        loss=0.5,
        guess=guess,
        grown=Place(operation="linear", site=None),
        before=1.0,
        size=1.0,
        entry=True,
        trained=True,
        last=False,
    )


@pytest.mark.parametrize(("guess", "says"), [(0.51, "and it learns"), (0.49, "a constant prediction")])
def test_a_loss_above_that_of_a_guess_is_only_the_beginning_of_learning(guess: float, says: str) -> None:
    facts = [_sign(348), _contrast(True, True), _curve(*[2.3] * 340, *[0.5] * 8), _guess(guess)]
    assert says in headline(assurance_of(facts), experimented=True)


@pytest.mark.parametrize(("count", "acting", "told"), [(640, False, True), (0, False, False), (640, True, False)])
def test_the_skill_beside_that_of_a_plain_fit(count: int, acting: bool, told: bool) -> None:
    related = relating.related(skills=Skills(rows=count, plain=0.9, own=0.8, looks=30, step=480), acting=acting)
    beside = assurance_of([related]).beside

    assert beside == (Beside(own=0.8, plain=0.9, rows=640, step=480) if told else None)


def test_the_skill_in_words() -> None:
    beside = Beside(own=0.8, plain=0.9, rows=640, step=480)

    assert dict(rows(Assurance(beside=beside)))["skill"] == (
        "0.80 by step 480; a simple model fitted to 640 of its examples: 0.90 "
        "(0: a constant prediction, 1: never wrong)"
    )


def test_a_question_that_nobody_answers_is_where_the_rehearsal_ends() -> None:
    told = assurance_of(
        [Rehearsal(reached_end=False, asks=True, site=SITE, message="EOFError: EOF when reading a line")]
    )
    crash = assurance_of([Rehearsal(reached_end=False, crashed=True, own=True, site=SITE, message="ValueError: no")])

    assert told.rehearsal is not None
    assert (told.rehearsal.by_shortening, told.rehearsal.stopped_at) == (False, str(SITE))
    assert "asks for input" in told.rehearsal.why
    assert crash.rehearsal is not None
    assert crash.rehearsal.why == "ValueError: no"


@pytest.mark.parametrize(
    ("rise", "to_end", "says", "seen"),
    [
        (4.1, False, "its episodes return more than at the start", "part that was observed"),
        (3.9, True, "could not be certified", "whole run"),
    ],
)
def test_returns_that_have_risen_are_a_sign_of_learning(rise: float, to_end: bool, says: str, seen: str) -> None:
    sign = replace(_sign(16), status=NOT_CERTIFIED, reason="few updates")
    returning = Returning(
        rank=0, site=SITE, step=9, episodes=64, start=1.0, end=4.0, rise=rise, varied=True, to_end=to_end
    )
    found = assurance_of([sign, returning])

    assert says in headline(found, experimented=True)
    assert dict(rows(found))["returns"] == (
        f"1 → 4 in 64 episodes (the first few against the last quarter of the {seen})"
    )
