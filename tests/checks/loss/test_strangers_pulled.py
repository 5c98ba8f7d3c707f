from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.strangers_pulled import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.pairs import Labelled, Likeness, PairsPulled
from firstlight.records.places import Site

NAN = float("nan")
SEEN = PairsPulled(
    step=60,
    rank=1,
    site=Site(file="train.py", line=20),
    looks=6,
    fixed=1.0,
    pulled=Likeness(pairs=48, rank=0.5),
    matching="of two neighbouring rows each",
    matched=Likeness(pairs=300, rank=0.1),
    beside=Likeness(pairs=300, rank=0.5),
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(SEEN, **changes), CHECK.limits))


def deviating(by: float) -> Likeness:
    """Of 12 pairs, so that a deviation is a twelfth of all ranks."""
    return Likeness(pairs=12, rank=0.5 - by / 12)


def test_other_pairs_than_those_that_are_pulled_together_are_told() -> None:
    (evidence,) = found()

    assert "and ignores the pairs of two neighbouring rows each, which are alike (24)" in evidence.saw
    assert (evidence.where.file, evidence.where.line, evidence.cause) == ("train.py", 20, "data-label-misaligned")


@pytest.mark.parametrize(("pushed", "cause"), [(0.49, "data-label-misaligned"), (0.5, "loss-sign")])
def test_each_side_of_pushed(pushed: float, cause: str) -> None:
    assert found(pushed=pushed)[0].cause == cause


@pytest.mark.parametrize(("looks", "times"), [(3, 0), (4, 1)])
def test_each_side_of_looks(looks: int, times: int) -> None:
    assert len(found(looks=looks)) == times


@pytest.mark.parametrize(("fixed", "times"), [(0.39, 0), (0.4, 1), (NAN, 0)])
def test_each_side_of_fixed(fixed: float, times: int) -> None:
    assert len(found(fixed=fixed)) == times


@pytest.mark.parametrize(("shared", "times"), [(0.11, 0), (0.1, 1), (NAN, 0)])
def test_each_side_of_shared(shared: float, times: int) -> None:
    assert len(found(shared=shared)) == times


@pytest.mark.parametrize(("by", "times"), [(3.1, 0), (2.9, 1), (NAN, 0)])
def test_each_side_of_unlike(by: float, times: int) -> None:
    assert len(found(pulled=deviating(by))) == times


@pytest.mark.parametrize(("by", "times"), [(7.9, 0), (8.1, 1), (NAN, 0)])
def test_each_side_of_alike(by: float, times: int) -> None:
    assert len(found(matched=deviating(by))) == times


@pytest.mark.parametrize(("by", "times"), [(3.1, 0), (2.9, 1), (NAN, 0)])
def test_each_side_of_beside(by: float, times: int) -> None:
    assert len(found(matched=deviating(10.0), beside=deviating(by))) == times


LABELLED = replace(SEEN, looks=0, fixed=0.0, labelled=Labelled(looks=4, same=0.0, other=1.0, nearer=0.0))


def found_by_labels(**changes: Any) -> list[Evidence]:
    labelled = replace(LABELLED.labelled, **changes)
    return list(CHECK.find(replace(LABELLED, labelled=labelled), CHECK.limits))


def test_a_loss_that_pushes_one_label_apart_is_turned_round() -> None:
    (evidence,) = found_by_labels()

    assert "one step brings 0% of the examples nearer to their own label" in evidence.saw
    assert evidence.cause == "loss-sign"


@pytest.mark.parametrize(("looks", "times"), [(3, 0), (4, 1)])
def test_each_side_of_looks_at_labels(looks: int, times: int) -> None:
    assert len(found_by_labels(looks=looks)) == times


@pytest.mark.parametrize(("same", "times"), [(0.21, 0), (0.2, 1), (NAN, 0)])
def test_each_side_of_same(same: float, times: int) -> None:
    assert len(found_by_labels(same=same)) == times


@pytest.mark.parametrize(("other", "times"), [(0.79, 0), (0.8, 1), (NAN, 0)])
def test_each_side_of_other(other: float, times: int) -> None:
    assert len(found_by_labels(other=other)) == times


@pytest.mark.parametrize(("nearer", "times"), [(0.41, 0), (0.4, 1), (NAN, 0)])
def test_each_side_of_nearer(nearer: float, times: int) -> None:
    assert len(found_by_labels(nearer=nearer)) == times


def found_apart(**changes: Any) -> list[Evidence]:
    flagged = replace(SEEN, fixed=0.0, held=1.0, others=1.0, parted=deviating(6.1))
    return list(CHECK.find(replace(flagged, **changes), CHECK.limits))


def test_pairs_that_are_alike_and_pushed_apart_are_told() -> None:
    (evidence,) = found_apart()

    assert evidence.saw.endswith("and pushes apart pairs that are alike (6)")
    assert evidence.cause == "loss-sign"


@pytest.mark.parametrize(("held", "times"), [(0.79, 0), (0.8, 1), (NAN, 0)])
def test_each_side_of_held(held: float, times: int) -> None:
    assert len(found_apart(held=held)) == times


@pytest.mark.parametrize(("others", "times"), [(0.79, 0), (0.8, 1), (NAN, 0)])
def test_each_side_of_what_is_done_to_others(others: float, times: int) -> None:
    assert len(found_apart(others=others)) == times


@pytest.mark.parametrize(("by", "times"), [(5.9, 0), (6.1, 1), (NAN, 0)])
def test_each_side_of_parted(by: float, times: int) -> None:
    assert len(found_apart(parted=deviating(by))) == times


@pytest.mark.parametrize(("by", "times"), [(1.85, 0), (1.8, 1), (NAN, 0)])
def test_pairs_that_are_pulled_instead_must_be_strangers(by: float, times: int) -> None:
    assert len(found_apart(pulled=deviating(by))) == times
