from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.clip_starves import CHECK
from firstlight.records.contrast import Contrast, Level, Pair
from firstlight.records.facts import ClipOrder
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

CLIP = ClipOrder(
    site=Site(file="train.py", line=21),
    times=30,
    first_step=0,
    late=0,
    scaled=0,
    max_norm=0.01,
    median_norm=8.0,
)
STANDS = Level(first=10.0, last=10.0, noise=0.1, finite=True)
LEARNS = Level(first=10.0, last=0.25, noise=0.1, finite=True)
STARVING = Contrast(
    pairs=(Pair(name="unclipped", steps=150, base=STANDS, other=LEARNS, cured=True),),
    classes=None,
    loss="mse_loss",
    steps=150,
    supervised=True,
    clip=CLIP,
)


def found(clip: ClipOrder | None = CLIP, supervised: bool = True, **changes: Any) -> list[Evidence]:
    pair = replace(STARVING.pairs[0], **changes)
    return list(CHECK.find(replace(STARVING, pairs=(pair,), clip=clip, supervised=supervised), CHECK.limits))


def test_tells_both_norms_and_what_clipping_costs() -> None:
    (evidence,) = found()

    assert "norm 8 are clipped to 0.01" in evidence.saw
    assert "from 10 to 10, and without clipping to 0.25" in evidence.saw
    assert evidence.do is not None
    assert "raise `max_norm` to about 16" in evidence.do
    assert (evidence.where.file, evidence.where.line) == ("train.py", 21)
    assert evidence.numbers == {"norm": 8.0, "max_norm": 0.01, "unclipped": 0.25}


def test_another_experiment_says_nothing_of_clipping() -> None:
    assert found(name="lr-tenfold") == []


def test_a_program_that_does_not_clip_is_fine() -> None:
    assert found(clip=None) == []


def test_a_loss_that_is_not_meant_to_fall_is_not_judged() -> None:
    assert found(supervised=False) == []


@pytest.mark.parametrize("fault", ["late", "scaled"])
def test_clipping_that_is_wrong_otherwise_is_told_by_others(fault: str) -> None:
    assert found(clip=replace(CLIP, **{fault: 3})) == []


def test_a_copy_that_learns_no_more_speaks_for_clipping() -> None:
    assert found(cured=False) == []


@pytest.mark.parametrize(("steps", "times"), [(99, 0), (100, 1), (150, 1)])
def test_each_side_of_steps(steps: int, times: int) -> None:
    assert len(found(steps=steps)) == times


@pytest.mark.parametrize(("norm", "times"), [(0.99, 0), (1.0, 1), (1.9, 1), (float("nan"), 0)])
def test_each_side_of_tightness(norm: float, times: int) -> None:
    assert len(found(clip=replace(CLIP, median_norm=norm))) == times
