"""The pairs written by hand: complete, with a cause of the vocabulary, and counted as what they are."""

import ast
from pathlib import Path

import pytest
from zoo import pairs
from zoo.pairs import HEALTHY, SICK, Looked, Pair, load, programs_of, summary
from zoo.scoring.judging import Claim, Judgement

from firstlight.diagnosis.causes import BY_SLUG

ALL = list(load())
PAIR = Pair("01-some", "loss-sign", ("loss-scale",), 3, Path())


@pytest.mark.parametrize("pair", ALL, ids=lambda pair: pair.name)
def test_a_pair_is_complete(pair: Pair) -> None:
    for main in [SICK, HEALTHY] if pair.cause else [HEALTHY]:
        files = pair.files(main)
        assert all(ast.parse(text) for text in files.values())
    if pair.cause:
        assert {pair.cause, *pair.fair} <= set(BY_SLUG)
        assert pair.files(SICK)[SICK] != pair.files(HEALTHY)[SICK]
        assert 0 < pair.line <= max(len(text.splitlines()) for text in pair.files(SICK).values())


def test_there_are_sick_and_odd_ones() -> None:
    sick = sum(1 for pair in ALL if pair.cause)
    assert 0 < sick < len(ALL)
    assert len(programs_of(ALL)) == sick + len(ALL)


def looked(main: str, verdict: str, cause: str = "") -> Looked:
    first = Claim(cause, 0.5, "error", "FL205") if cause else None
    return Looked(PAIR, main, Judgement(verdict, first, (), 1.0))


@pytest.mark.parametrize(
    ("one", "grade", "look"),
    [
        (looked(SICK, "ill", "loss-sign"), "right", ("error", "FL205", True)),
        (looked(SICK, "warn", "loss-scale"), "right", ("error", "FL205", True)),
        (looked(SICK, "ill", "hp-lr-low"), "caught", ("error", "FL205", False)),
        (looked(SICK, "clean"), "missed", None),
        (looked(SICK, "unjudged", "loss-sign"), "missed", None),
        (looked(HEALTHY, "warn", "loss-sign"), "alarmed", ("error", "FL205", False)),
        (looked(HEALTHY, "clean"), "quiet", None),
    ],
)
def test_how_a_look_is_graded(one: Looked, grade: str, look: object) -> None:
    assert (one.grade, one.look) == (grade, look)


def test_the_sum() -> None:
    seen = [
        looked(SICK, "ill", "loss-sign"),
        looked(SICK, "ill", "hp-clip"),
        looked(SICK, "clean"),
        looked(HEALTHY, "clean"),
    ]

    assert summary(seen) == "caught 2 of 3, cause right 1; healthy alarmed 0 of 1"
    assert str(seen[1]) == "caught   ill       01-some/train.py  loss-sign: said hp-clip 0.50"
    assert pairs.FOLDER.is_dir()
