import math

import pytest

from firstlight.checks.learning.answers_not_learnt import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.learning import CERTIFIED, NO_SIGN, NOT_CERTIFIED, LearningSign
from firstlight.records.places import Site


def found(status: str = NO_SIGN, steps: int = 200, last: float | None = 2.31) -> list[Evidence]:
    sign = LearningSign(
        step=300,
        rank=1,
        status=status,
        reason="",
        site=Site(file="train.py", line=20),
        meeting=Site(file="loss.py", line=4),
        steps=steps,
        fresh=steps,
        first=2.3,
        last=last,
        without_inputs=2.29,
    )
    return list(CHECK.find(sign, CHECK.limits))


def test_tells_the_course_and_the_level_of_exchanged_answers() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "in 200 steps the loss went from 2.3 to 2.31; with targets shuffled among the examples it is 2.29, and "
        "the two did not move apart"
    )
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("loss.py", 4, 1)


def test_it_is_a_symptom() -> None:
    assert CHECK.symptom


@pytest.mark.parametrize("status", [CERTIFIED, NOT_CERTIFIED])
def test_a_program_that_learns_or_cannot_be_asked_is_left_alone(status: str) -> None:
    assert found(status) == []


@pytest.mark.parametrize(("steps", "times"), [(79, 0), (80, 1), (81, 1)])
def test_each_side_of_steps(steps: int, times: int) -> None:
    assert len(found(steps=steps)) == times


@pytest.mark.parametrize("last", [math.nan, math.inf, None])
def test_a_loss_that_is_no_number_is_told_in_words(last: float | None) -> None:
    assert "a value that is not finite" in found(last=last)[0].saw
