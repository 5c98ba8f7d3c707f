import math
from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.pairing_is_lost import CHECK
from firstlight.records.contrast import Contrast, Level, Pair
from firstlight.records.finding import Evidence
from firstlight.records.places import Site


def ended(last: float, noise: float = 0.0, first: float = 2.0) -> Level:
    return Level(first=first, last=last, noise=noise, finite=math.isfinite(last))


def pair(name: str, last: float, *, base: float = 1.9, noise: float = 0.0, steps: int = 150) -> Pair:
    return Pair(name=name, steps=steps, base=ended(base, noise), other=ended(last, noise), below=0.5)


ONE = pair("one-batch", 0.01)
MIXED = pair("permuted-targets", 1.9)
LOST = Contrast(
    rank=1,
    pairs=(ONE, MIXED),
    classes=6,
    loss="cross_entropy",
    steps=200,
    loss_site=Site(file="train.py", line=21),
)


def found(*pairs: Pair, **changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(LOST, pairs=pairs or (ONE, MIXED), **changes), CHECK.limits))


def test_what_the_program_is_seen_to_learn_later_was_not_lost() -> None:
    assert len(found(certified=False)) == 1
    assert found(certified=True) == []


@pytest.mark.parametrize(("foretold", "times"), [(0.0, 1), (3.9, 1), (4.0, 0), (float("nan"), 0)])
def test_pairs_that_a_plain_fit_foretells_were_not_lost(foretold: float, times: int) -> None:
    assert len(found(foretold=foretold)) == times


def test_tells_all_three_losses() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "after 150 steps the loss is 1.9; with inputs and labels deliberately mismatched it is 1.9, while one "
        "batch alone is learned down to 0.01"
    )
    assert evidence.wanted == "a loss well below the one for mismatched pairs"
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 21, 1)
    assert evidence.numbers == {"as_is": 1.9, "mismatched": 1.9, "one_batch": 0.01}


@pytest.mark.parametrize(
    ("loss", "times"),
    [
        ("cross_entropy", 1),
        ("nll_loss", 1),
        ("binary_cross_entropy", 1),
        ("binary_cross_entropy_with_logits", 1),
        ("mse_loss", 0),
        ("kl_div", 0),
        (None, 0),
    ],
)
def test_only_labels_can_be_told_from_noise(loss: str | None, times: int) -> None:
    assert len(found(loss=loss)) == times


def test_models_that_compare_rows_keep_their_partners() -> None:
    assert found(compares_rows=True) == []


def test_without_both_copies_nothing_is_said() -> None:
    assert found(ONE) == []
    assert found(MIXED) == []


@pytest.mark.parametrize(
    "pairs",
    [
        (pair("one-batch", math.inf), MIXED),
        (ONE, pair("permuted-targets", math.nan)),
        (ONE, pair("permuted-targets", 1.9, base=math.inf)),
        (replace(ONE, other=ended(-2.0, first=-1.0)), MIXED),
    ],
    ids=["one batch broke", "mismatched broke", "the program broke", "negative loss"],
)
def test_copies_that_cannot_be_compared_say_nothing(pairs: tuple[Pair, ...]) -> None:
    assert found(*pairs) == []


@pytest.mark.parametrize(("steps", "times"), [(50, 0), (99, 0), (100, 1), (101, 1)])
def test_each_side_of_steps(steps: int, times: int) -> None:
    assert len(found(ONE, replace(MIXED, steps=steps))) == times
    assert len(found(ONE, replace(MIXED, steps=4 * steps), accumulated=4.0)) == times


@pytest.mark.parametrize(("last", "times"), [(1.6, 0), (1.21, 0), (1.19, 1), (0.41, 1)])
def test_each_side_of_by_heart(last: float, times: int) -> None:
    """Four tenths of the first loss, 2.0."""
    assert len(found(pair("one-batch", last), MIXED)) == times


@pytest.mark.parametrize(("mixed", "times"), [(1.5, 1), (1.93, 1), (1.959, 1), (1.961, 0), (2.01, 0)])
def test_each_side_of_alike(mixed: float, times: int) -> None:
    """Three hundredths of the first loss, 2.0, above the program's 1.9."""
    assert len(found(ONE, pair("permuted-targets", mixed))) == times


@pytest.mark.parametrize(("mixed", "times"), [(2.0, 1), (2.099, 1), (2.101, 0), (2.29, 0)])
def test_each_side_of_noises(mixed: float, times: int) -> None:
    """Twice the noise of 0.1 above the program's 1.9."""
    assert len(found(ONE, pair("permuted-targets", mixed, noise=0.1))) == times


@pytest.mark.parametrize(("slower", "times"), [(2.0, 1), (1.34, 1), (1.32, 0), (0.1, 0), (math.inf, 1)])
def test_each_side_of_learnt_slower(slower: float, times: int) -> None:
    """Where a lower rate learns the labels, they belong to their inputs: three tenths below 1.9."""
    assert len(found(ONE, MIXED, pair("lr-tenth", slower))) == times


@pytest.mark.parametrize(("below", "times"), [(0.34, 0), (0.36, 1)])
def test_each_side_of_as_often(below: float, times: int) -> None:
    assert len(found(ONE, replace(MIXED, below=below))) == times


@pytest.mark.parametrize(("last", "times"), [(1.07, 0), (1.08, 1)])
def test_each_side_of_prior(last: float, times: int) -> None:
    """A guess among six classes scores 1.79."""
    assert len(found(ONE, pair("permuted-targets", last, base=last))) == times
