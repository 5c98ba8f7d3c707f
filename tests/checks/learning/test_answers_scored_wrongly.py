from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.answers_scored_wrongly import CHECK
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import Site
from firstlight.records.scoring import AnswersScored, NumbersMet, Wanted

SCORED = AnswersScored(
    step=12,
    site=Site(file="train.py", line=40),
    model="Net",
    times=5,
    answers=100,
    least=0,
    moved=0,
    elsewhere=False,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(SCORED, **changes), CHECK.limits))


def test_an_honest_score_is_fine() -> None:
    assert found() == []


def test_the_least_likely_class_is_told() -> None:
    (evidence,) = found(least=100)

    assert evidence.saw == "100 of 100 answers compared here are the class that `Net` finds least likely"
    assert evidence.where.line == 40


def test_targets_of_other_rows_are_told() -> None:
    (evidence,) = found(moved=100)

    assert "targets in another order than the inputs came in" in evidence.saw


def test_a_measure_of_chance_beside_the_score_is_fine() -> None:
    assert found(moved=100, elsewhere=True) == []


@pytest.mark.parametrize("name", ["least", "moved"])
@pytest.mark.parametrize(("count", "findings"), [(89, 0), (90, 1)])
def test_each_side_of_share(name: str, count: int, findings: int) -> None:
    assert len(found(**{name: count})) == findings


@pytest.mark.parametrize("name", ["least", "moved"])
@pytest.mark.parametrize(("count", "findings"), [(7, 0), (8, 1)])
def test_each_side_of_answers(name: str, count: int, findings: int) -> None:
    assert len(found(**{"answers": count, name: count})) == findings


RENAMED = ((0, 1, 0), (1, 2, 1))


def test_classes_that_have_another_number_in_training_are_told() -> None:
    (evidence,) = found(classes=4, renamed=RENAMED, trained_at=Site(file="train.py", line=20))

    assert evidence.saw == (
        "the class that is loaded as 0 is 1 in the loss of `Net` and 0 where its answers are scored; so are 2 of 4 "
        "classes"
    )
    assert (evidence.cause, evidence.where.line) == ("data-label-range", 20)


def test_it_is_told_where_the_number_is_changed() -> None:
    (evidence,) = found(classes=2, renamed=((0, 0, 1),), trained_at=Site(file="train.py", line=20))

    assert evidence.where.line == 40


@pytest.mark.parametrize(("classes", "findings"), [(8, 1), (9, 0)])
def test_each_side_of_renamed(classes: int, findings: int) -> None:
    assert len(found(classes=classes, renamed=RENAMED)) == findings


SHIFTED: dict[str, Any] = {"counted": 200, "apart": 0.5, "offset": -1, "offset_apart": 0.1}


def test_shares_that_are_those_of_their_neighbours_are_told() -> None:
    (evidence,) = found(**SHIFTED, trained_at=Site(file="train.py", line=20))

    assert evidence.saw == (
        "the shares of classes in the loss of `Net` and where its answers are scored differ by 0.50, and by 0.10 if "
        "those in the loss are one too low"
    )
    assert (evidence.cause, evidence.severity, evidence.where.line) == ("data-label-range", Severity.WARNING, 20)


@pytest.mark.parametrize(
    ("change", "findings"),
    [
        ({"counted": 199}, 0),
        ({"apart": 0.3}, 0),
        ({"apart": 0.31}, 1),
        ({"offset_apart": 0.2}, 0),
        ({"offset_apart": 0.199}, 1),
        ({"offset": 1}, 1),
    ],
)
def test_each_side_of_what_shares_must_show(change: dict[str, Any], findings: int) -> None:
    assert len(found(**SHIFTED | change)) == findings


TAUGHT, ASKED = NumbersMet(count=96, mean=0.0, std=1.0, drift=1.0), NumbersMet(count=96, mean=30.0, std=12.0)
OTHERWISE = Wanted(trained_at=Site(file="train.py", line=20), trained=TAUGHT, scored=ASKED)


def wanted(fitting: int = 0, crowded: int = 0, **sides: dict[str, Any]) -> list[Evidence]:
    """With changes of what is `trained` and what is `scored`."""
    changed: dict[str, Any] = {name: replace(getattr(OTHERWISE, name), **changes) for name, changes in sides.items()}
    return found(wanted=replace(OTHERWISE, crowded=crowded, **changed), answers=0, fitting=fitting)


def test_answers_that_are_not_scaled_back_are_told() -> None:
    (evidence,) = wanted()

    assert evidence.saw == "`Net` learns to put out 0 ± 1, and would have to put out 30 ± 12 where it is scored"
    assert (evidence.cause, evidence.where.line) == (None, 40)


def test_targets_that_each_batch_scales_are_told() -> None:
    (evidence,) = wanted(trained={"standard": True}, scored={"mean": 1.5, "std": 0.9})

    assert evidence.saw == (
        "the answers that `Net` learns have mean 0 and deviation 1 in every batch, and are 1.5 ± 0.9 where it is scored"
    )
    assert (evidence.cause, evidence.where.line) == ("data-split-shift", 20)


@pytest.mark.parametrize(
    ("scored", "findings"),
    [
        ({"mean": 0.0, "std": 1.0}, 0),
        ({"mean": 0.0, "std": 4.0}, 1),
        ({"mean": 0.0, "std": 3.9}, 0),
        ({"mean": -4.0, "std": 1.0}, 1),
        ({"mean": 3.9, "std": 1.0}, 0),
        ({"mean": 0.0, "std": 1 / 30}, 1),
        ({"mean": 0.0, "std": 0.04}, 0),
        ({"mean": 30.0, "std": 0.0}, 0),
        ({"count": 24}, 1),
        ({"count": 23}, 0),
    ],
)
def test_each_side_of_how_far_apart(scored: dict[str, Any], findings: int) -> None:
    assert len(wanted(scored=scored)) == findings


@pytest.mark.parametrize(("drift", "fitting", "findings"), [(8.0, 0, 1), (8.1, 0, 0), (8.1, 1, 1)])
def test_numbers_that_training_takes_in_order_need_another_line_beside(
    drift: float, fitting: int, findings: int
) -> None:
    assert len(wanted(trained={"drift": drift}, fitting=fitting)) == findings


@pytest.mark.parametrize(("crowded", "findings"), [(2, 1), (3, 0)])
def test_each_side_of_crowded(crowded: int, findings: int) -> None:
    assert len(wanted(crowded=crowded)) == findings


@pytest.mark.parametrize(("mean", "std", "findings"), [(0.1, 1.0, 1), (0.09, 1.0, 0), (0.0, 1.11, 1), (0.0, 1.09, 0)])
def test_each_side_of_standard(mean: float, std: float, findings: int) -> None:
    assert len(wanted(trained={"standard": True}, scored={"mean": mean, "std": std})) == findings
