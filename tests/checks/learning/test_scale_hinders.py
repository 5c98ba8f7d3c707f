import math
from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.scale_hinders import CHECK
from firstlight.records.facts import Contrast, Level, Pair
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import Site

BASE = Level(first=2.0, last=1.95, noise=0.01, finite=True)
OTHER = Level(first=2.0, last=0.3, noise=0.01, finite=True)


def found(base: Level = BASE, other: Level = OTHER, steps: int = 150, **changes: Any) -> list[Evidence]:
    pair = Pair(name="standardised", steps=steps, base=base, other=other)
    contrast = Contrast(
        pairs=(pair,),
        classes=2,
        loss="cross_entropy",
        steps=steps,
        supervised=True,
        loss_site=Site(file="train.py", line=9),
    )
    return list(CHECK.find(replace(contrast, **changes), CHECK.limits))


def test_tells_both_losses() -> None:
    (evidence,) = found()

    assert evidence.saw == "after 150 steps the loss is 1.95; with standardised inputs it is 0.3"
    assert (evidence.where.line, evidence.severity) == (9, Severity.ERROR)


def test_a_program_that_breaks_is_ill() -> None:
    (evidence,) = found(base=replace(BASE, last=math.inf, finite=False))

    assert "a value that is not finite" in evidence.saw
    assert evidence.severity is Severity.ERROR


@pytest.mark.parametrize(("last", "times"), [(0.97, 1), (0.98, 0)])
def test_each_side_of_lead(last: float, times: int) -> None:
    assert len(found(other=replace(OTHER, last=last))) == times


@pytest.mark.parametrize(("last", "severity"), [(1.8, Severity.WARNING), (1.81, Severity.ERROR)])
def test_each_side_of_stuck(last: float, severity: Severity) -> None:
    (evidence,) = found(base=replace(BASE, last=last))

    assert evidence.severity is severity


@pytest.mark.parametrize(("noise", "times"), [(0.2, 1), (0.6, 0)])
def test_each_side_of_noises(noise: float, times: int) -> None:
    assert len(found(base=replace(BASE, noise=noise))) == times


@pytest.mark.parametrize(("steps", "times"), [(39, 0), (40, 1)])
def test_each_side_of_steps(steps: int, times: int) -> None:
    assert len(found(steps=steps)) == times


def test_what_is_no_plain_training_is_not_judged() -> None:
    assert found(supervised=False) == []
    assert found(pairs=()) == []
    assert found(other=replace(OTHER, finite=False)) == []
