import math

import pytest

from firstlight.checks.learning.regularisation_drowns import CHECK
from firstlight.records.contrast import Contrast, Level, Pair
from firstlight.records.finding import Evidence
from firstlight.records.places import Site


def ended(first: float, last: float) -> Level:
    return Level(first=first, last=last, noise=0.01, finite=math.isfinite(last))


def pair(name: str, first: float, last: float) -> Pair:
    return Pair(name=name, steps=150, base=ended(2.0, 1.9), other=ended(first, last))


def found(
    with_it: float = 1.9,
    without: float = 0.1,
    first: float = 2.0,
    *,
    lacks: str = "",
    certified: bool = False,
    reached: float = 1.9,
) -> list[Evidence]:
    pairs = (pair("regularised", first, with_it), pair("unregularised", first, without))
    contrast = Contrast(
        rank=1,
        pairs=tuple(each for each in pairs if each.name != lacks),
        classes=8,
        loss="cross_entropy",
        steps=200,
        reached=ended(first, reached),
        loss_site=Site(file="train.py", line=30),
        certified=certified,
    )
    return list(CHECK.find(contrast, CHECK.limits))


def test_tells_both_losses_and_the_start() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "after 150 steps the loss in eval mode is 1.9; from the same start without dropout, weight decay and label "
        "smoothing it is 0.1"
    )
    assert evidence.wanted == "most of the way from 2 to 0.1"
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 30, 1)
    assert evidence.numbers == {"with": 1.9, "without": 0.1, "first": 2.0}


@pytest.mark.parametrize("name", ["regularised", "unregularised"])
def test_without_both_copies_nothing_is_said(name: str) -> None:
    assert found(lacks=name) == []


@pytest.mark.parametrize(("with_it", "without"), [(math.inf, 0.1), (1.9, math.inf), (math.nan, 0.1)])
def test_a_copy_that_broke_says_nothing(with_it: float, without: float) -> None:
    assert found(with_it, without) == []


@pytest.mark.parametrize("first", [0.0, -2.0])
def test_losses_that_are_not_positive_have_no_share(first: float) -> None:
    assert found(first - 0.1, first - 2.0, first) == []


@pytest.mark.parametrize(("without", "times"), [(1.01, 0), (1.0, 1), (0.99, 1), (0.02, 1)])
def test_each_side_of_learnt_without(without: float, times: int) -> None:
    """Half of the first loss, 2.0."""
    assert len(found(1.8, without)) == times


@pytest.mark.parametrize(("without", "times"), [(1.61, 0), (1.59, 1)])
def test_each_side_of_little_without(without: float, times: int) -> None:
    """A fifth of the first loss, 2.0, where nothing is learnt with it."""
    assert len(found(2.0, without)) == times


@pytest.mark.parametrize(("with_it", "times"), [(1.94, 0), (1.96, 1)])
def test_each_side_of_nothing(with_it: float, times: int) -> None:
    """A tenth of the way from 2.0 to 1.5."""
    assert len(found(with_it, 1.5)) == times


@pytest.mark.parametrize(("with_it", "times"), [(0.5, 0), (1.19, 0), (1.21, 1), (1.6, 1)])
def test_each_side_of_part(with_it: float, times: int) -> None:
    """Four tenths of the way from 2.0 to 0.0."""
    assert len(found(with_it, 0.0)) == times


def test_what_is_certified_to_learn_is_told_only_where_it_has_next_to_nothing() -> None:
    assert len(found(with_it=1.5)) == 1
    assert found(with_it=1.5, certified=True) == []
    assert len(found(with_it=1.9, certified=True)) == 1


@pytest.mark.parametrize(("reached", "times"), [(1.25, 1), (1.23, 0), (0.2, 0), (math.inf, 1)])
def test_a_program_that_gets_there_later_is_not_drowned(reached: float, times: int) -> None:
    """Two fifths of the way from 2.0 to 0.1, by the end of its own run."""
    assert len(found(reached=reached)) == times
    assert len(found(reached=reached, certified=True)) == times
