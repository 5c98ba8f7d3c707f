from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.classes_imbalanced import CHECK
from firstlight.records.facts import Labels, LossSite
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import Site
from firstlight.records.sighting import TensorCard

LOSS = LossSite(
    function="cross_entropy",
    site=Site(file="train.py", line=22),
    calls=20,
    first_step=0,
    prediction=TensorCard(shape=(32, 2), dtype="float32"),
    target=None,
    made_by=None,
    made_at=None,
    class_sum_error=None,
    class_logsum_error=None,
    target_sum_error=None,
    most_ignored=0.0,
    least_ignored=0.0,
    labels=(Labels(step=0, examples=32, low=0, high=1),),
    classes=(950, 50),
    answers=(500, 0),
    answered_step=200,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(LOSS, **changes), CHECK.limits))


def severity(**changes: Any) -> Severity | None:
    (evidence,) = found(**changes)
    return evidence.severity


def test_tells_what_a_blind_guess_scores() -> None:
    (evidence,) = found()

    assert evidence.saw == "95.0% of 1,000 labels are class 0; after 200 steps the model predicts nothing else"
    assert evidence.wanted == "a metric other than accuracy, since a constant guess already scores 95.0%"


@pytest.mark.parametrize(("classes", "times"), [((899, 101), 0), ((900, 100), 1), ((1000, 0), 0), ((), 0)])
def test_each_side_of_share(classes: tuple[int, ...], times: int) -> None:
    assert len(found(classes=classes)) == times


@pytest.mark.parametrize(("classes", "times"), [((195, 4), 0), ((196, 4), 1)])
def test_each_side_of_labels(classes: tuple[int, ...], times: int) -> None:
    assert len(found(classes=classes)) == times


@pytest.mark.parametrize(("answers", "loud"), [((995, 5), True), ((994, 6), False)])
def test_each_side_of_answered(answers: tuple[int, ...], loud: bool) -> None:
    assert severity(answers=answers) is (Severity.WARNING if loud else Severity.NOTE)


@pytest.mark.parametrize(("step", "loud"), [(149, False), (150, True)])
def test_each_side_of_steps(step: int, loud: bool) -> None:
    assert severity(answered_step=step) is (Severity.WARNING if loud else Severity.NOTE)


def test_pixels_of_a_background_are_a_note() -> None:
    assert severity(labels=()) is Severity.NOTE


def test_weights_make_up_for_it() -> None:
    assert found(weighted=True) == []
