import math
from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.scores_too_flat import CHECK
from firstlight.records.contrast import Contrast, Level, Pair
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

GUESS = math.log(12)


def ended(last: float, first: float = 2.5) -> Level:
    return Level(first=first, last=last, noise=0.01, finite=math.isfinite(last))


def sharper(last: float = 0.04, base: float = 2.42, steps: int = 150) -> Pair:
    return Pair(name="sharpened", steps=steps, base=ended(base), other=ended(last, 3.9))


def faster(last: float = 2.41, steps: int = 150) -> Pair:
    return Pair(name="lr-tenfold", steps=steps, base=ended(2.42), other=ended(last))


FLAT = Contrast(
    rank=1,
    pairs=(sharper(), faster()),
    classes=12,
    loss="cross_entropy",
    steps=200,
    loss_site=Site(file="train.py", line=32),
    supervised=True,
)


def found(*pairs: Pair, **changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(FLAT, pairs=pairs or FLAT.pairs, **changes), CHECK.limits))


def test_a_loss_that_another_player_raises_is_not_judged() -> None:
    assert not found(supervised=False)
    assert found(supervised=False, answered=True)


def test_tells_all_four_losses() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "after 150 steps the loss is 2.42, and a guess among 12 scores 2.48; ten times the learning rate gives "
        "2.41, scores times 100 give 0.04"
    )
    assert evidence.wanted == "scores that can differ by several units"
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 32, 1)
    assert evidence.numbers == {"as_is": 2.42, "sharper": 0.04, "guess": GUESS}


@pytest.mark.parametrize(
    "changes",
    [{"loss": "nll_loss"}, {"loss": None}, {"classes": None}, {"classes": 0}],
    ids=["another loss", "no loss", "classes unknown", "no classes"],
)
def test_only_a_softmax_over_classes_is_judged(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


def test_without_both_copies_nothing_is_said() -> None:
    assert found(sharper()) == []
    assert found(faster()) == []


@pytest.mark.parametrize(
    "pairs",
    [(sharper(math.inf), faster()), (sharper(base=math.inf), faster()), (sharper(), faster(math.nan))],
    ids=["sharper broke", "the program broke", "faster broke"],
)
def test_copies_that_broke_say_nothing(pairs: tuple[Pair, ...]) -> None:
    assert found(*pairs) == []


@pytest.mark.parametrize(("steps", "times"), [(50, 0), (99, 0), (100, 1), (101, 1)])
def test_each_side_of_steps(steps: int, times: int) -> None:
    assert len(found(sharper(steps=steps), faster())) == times
    assert len(found(sharper(steps=4 * steps), faster(steps=4 * steps), accumulated=4.0)) == times


@pytest.mark.parametrize(("share", "times"), [(0.43, 0), (0.84, 0), (0.86, 1), (1.2, 1)])
def test_each_side_of_near_guessing(share: float, times: int) -> None:
    assert len(found(sharper(base=share * GUESS), faster())) == times


@pytest.mark.parametrize(("last", "times"), [(9.0, 1), (2.2, 1), (2.13, 1), (2.12, 0), (1.8, 0)])
def test_each_side_of_no_help(last: float, times: int) -> None:
    """Fifteen hundredths of the first loss, 2.5."""
    assert len(found(sharper(), faster(last))) == times


def test_a_higher_rate_that_blew_up_and_came_back_has_not_helped() -> None:
    assert len(found(sharper(), replace(faster(), other=ended(2.5, first=30.0)))) == 1


@pytest.mark.parametrize(("last", "times"), [(2.4, 0), (1.82, 0), (1.81, 1), (1.22, 1)])
def test_each_side_of_helps(last: float, times: int) -> None:
    """A quarter below the program's 2.42."""
    assert len(found(sharper(last), faster())) == times


@pytest.mark.parametrize(("steps", "times"), [(134, 0), (135, 1), (200, 1)])
def test_a_higher_rate_has_as_many_steps_to_help(steps: int, times: int) -> None:
    assert len(found(sharper(), faster(steps=steps))) == times


@pytest.mark.parametrize(("reached", "times"), [(0.4, 0), (2.11, 0), (2.12, 1), (math.inf, 1)])
def test_a_plateau_that_is_left_later_is_none_of_the_scores(reached: float, times: int) -> None:
    """Near guessing is 0.85 of ln 12."""
    assert len(found(reached=ended(reached))) == times
