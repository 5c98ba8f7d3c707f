from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.answers_scored_wrongly import CHECK
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import Site
from firstlight.records.scoring import AnswersScored, PairsTorn

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

    assert evidence.saw == "100 of 100 predictions compared here are the class that `Net` finds least likely"
    assert evidence.where.line == 40


def test_targets_of_other_rows_are_told() -> None:
    (evidence,) = found(moved=100)

    assert "targets in a different order than the inputs" in evidence.saw


@pytest.mark.parametrize(("made", "told"), [(0.29, False), (0.31, True)])
def test_each_side_of_agreement(made: float, told: bool) -> None:
    (evidence,) = found(moved=100, torn=PairsTorn(made=made, met=0.2))

    assert (f"the agreement is 0.20, and {made}" in evidence.saw) is told


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
        "the class that is loaded as 0 is 1 in the loss of `Net` and 0 where its predictions are scored; 2 of 4 "
        "classes are renumbered like this"
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
        "the shares of classes in the loss of `Net` and where its predictions are scored differ by 0.50, and by "
        "only 0.10 if the numbers in the loss are one too low"
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
