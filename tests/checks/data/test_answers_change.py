from typing import Any

import pytest
from msgspec.structs import replace
from tests.checks.data.relating import found, related

from firstlight.checks.data.answers_change import CHECK
from firstlight.records.finding import Severity
from firstlight.records.relations import AnswersFollowed, Relations

KEPT = AnswersFollowed(known="loaded", compared=512, others=400, moved=1.0, spread=0.7, first=(3, 5))


def changed(learnt: bool = False, acting: bool = False, **changes: Any) -> Relations:
    return replace(related(kept=(replace(KEPT, **changes),), acting=acting), learnt=learnt)


def test_answers_in_another_order_are_told_on_the_line_of_the_loss() -> None:
    (evidence,) = found(CHECK, changed())

    assert evidence.saw.startswith("400 of 512 examples have another label in the loss than they got from the loader")
    assert "first in row 5 of step 3" in evidence.saw
    assert evidence.cause == "data-label-misaligned"
    assert evidence.severity is None
    assert CHECK.severity is Severity.ERROR
    assert (evidence.where.file, evidence.where.line) == ("train.py", 22)


def test_answers_partly_replaced_are_noise() -> None:
    (evidence,) = found(CHECK, changed(known="before", moved=0.5, others=200))

    assert evidence.cause == "data-label-noise"
    assert "than they had earlier in training" in evidence.saw


@pytest.mark.parametrize(("compared", "times"), [(63, 0), (64, 1)])
def test_each_side_of_compared(compared: int, times: int) -> None:
    assert len(found(CHECK, changed(compared=compared))) == times


@pytest.mark.parametrize(("moved", "times"), [(0.24, 0), (0.25, 1), (1.3, 1), (1.31, 0), (float("nan"), 0)])
def test_each_side_of_moved_and_of_most_moved(moved: float, times: int) -> None:
    assert len(found(CHECK, changed(moved=moved))) == times


@pytest.mark.parametrize(("moved", "cause"), [(0.89, "data-label-noise"), (0.9, "data-label-misaligned")])
def test_each_side_of_all_moved(moved: float, cause: str) -> None:
    assert [one.cause for one in found(CHECK, changed(moved=moved))] == [cause]


@pytest.mark.parametrize(("moved", "cause"), [(0.96, "data-label-noise"), (0.97, "data-label-misaligned")])
def test_each_side_of_all_moved_again(moved: float, cause: str) -> None:
    assert [one.cause for one in found(CHECK, changed(known="before", moved=moved))] == [cause]


@pytest.mark.parametrize(("spread", "times"), [(0.09, 0), (0.1, 1)])
def test_each_side_of_spread(spread: float, times: int) -> None:
    assert len(found(CHECK, changed(spread=spread))) == times


def test_a_program_that_learns_has_not_lost_all_answers_since_the_time_before() -> None:
    assert found(CHECK, changed(known="before", learnt=True)) == []
    assert len(found(CHECK, changed(known="before", moved=0.5, learnt=True))) == 1
    assert len(found(CHECK, changed(known="loaded", learnt=True))) == 1


def test_answers_that_may_be_the_models_own_doing_are_not_judged() -> None:
    assert found(CHECK, changed(acting=True)) == []
