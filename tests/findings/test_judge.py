"""Runs real checks over facts, sound ones and such as have lost a number."""

import math

import pytest
from msgspec.structs import replace

from firstlight.checks.model.layers_stay_linear import CHECK
from firstlight.findings.judge import judge
from firstlight.records.report import Status
from firstlight.records.symmetry import Straight, Symmetry

STRAIGHT = Straight(first="body.0", second="body.1", bend=0.0, width=9, least=4)
ILL = Symmetry(site=None, again=0.0, straight=STRAIGHT, rank=0, step=0)
"""Two layers that together draw a straight line."""


@pytest.mark.parametrize(
    ("bend", "status", "reason"),
    [
        (0.0, Status.ILL, None),
        (0.5, Status.CLEAN, None),
        (math.inf, Status.CLEAN, None),
        (math.nan, Status.SKIPPED, "a number it needs is not a number"),
    ],
)
def test_a_lost_number_is_neither_ill_nor_clean(bend: float, status: Status, reason: str | None) -> None:
    (outcome,) = judge((CHECK,), [replace(ILL, straight=replace(STRAIGHT, bend=bend))], trained=True).outcomes

    assert (outcome.status, outcome.reason) == (status, reason)


def test_one_sound_fact_does_not_make_up_for_a_lost_one() -> None:
    sound = replace(ILL, straight=replace(STRAIGHT, bend=0.5))
    (outcome,) = judge((CHECK,), [sound, replace(sound, again=math.nan)], trained=True).outcomes

    assert outcome.status is Status.SKIPPED
