from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.one_batch_not_learned import CHECK
from firstlight.records.contrast import BY_HEART_COPIES, Contrast, Level, Pair
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

STANDS = Level(first=2.0, last=2.0, noise=0.01, finite=True)


def contrast(
    steps: int = 150, base: Level = STANDS, other: Level = STANDS, names: tuple[str, ...] = BY_HEART_COPIES
) -> Contrast:
    pairs = tuple(Pair(name=name, steps=steps, base=base, other=other) for name in names)
    site = Site(file="train.py", line=30)
    return Contrast(
        pairs=pairs, classes=3, loss="cross_entropy", steps=150, supervised=True, by_loader=True, loss_site=site
    )


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(contrast(**changes), CHECK.limits))


def test_tells_where_the_loss_stays() -> None:
    (evidence,) = found()

    assert "with the same batch 150 times in a row the loss does not fall: 2 to 2;" in evidence.saw
    assert evidence.where.line == 30


def test_a_loss_that_rises_is_told_so() -> None:
    (evidence,) = found(other=replace(STANDS, last=9.0))

    assert "the loss rises: 2 to 9" in evidence.saw


def test_every_rate_must_have_been_tried() -> None:
    assert found(names=BY_HEART_COPIES[:2]) == []


def test_a_loss_that_is_not_meant_to_fall_is_not_judged() -> None:
    assert list(CHECK.find(replace(contrast(), supervised=False), CHECK.limits)) == []


def test_without_a_loader_no_batch_can_be_repeated() -> None:
    assert list(CHECK.find(replace(contrast(), by_loader=False), CHECK.limits)) == []


@pytest.mark.parametrize(("last", "times"), [(1.89, 0), (1.91, 1)])
def test_each_side_of_fell(last: float, times: int) -> None:
    assert len(found(other=replace(STANDS, last=last))) == times
    assert len(found(base=replace(STANDS, last=last))) == times


@pytest.mark.parametrize(("steps", "times"), [(99, 0), (100, 1)])
def test_each_side_of_steps(steps: int, times: int) -> None:
    assert len(found(steps=steps)) == times
