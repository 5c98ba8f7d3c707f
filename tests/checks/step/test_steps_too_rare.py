from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.steps_too_rare import CHECK
from firstlight.records.facts import Stepping
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

RARE = Stepping(
    rank=1,
    backwards=206,
    steps=6,
    optimizers=("Adam",),
    unstepped={},
    unused={},
    weights_moved=None,
    backward_site=Site(file="train.py", line=21),
    gathered=200,
    finished=True,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(RARE, **changes), CHECK.limits))


def test_counts_backwards_and_steps() -> None:
    (evidence,) = found()

    assert evidence.saw == "200 backwards led to 6 steps in the whole run"
    assert evidence.wanted == "more than 20 steps"
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 21, 1)


def test_a_run_that_was_cut_short_may_go_on() -> None:
    assert found(finished=False) == []


def test_without_any_step_it_is_another_illness() -> None:
    assert found(steps=0) == []


@pytest.mark.parametrize(("steps", "times"), [(1, 1), (20, 1), (21, 0)])
def test_each_side_of_steps(steps: int, times: int) -> None:
    assert len(found(steps=steps, gathered=1000)) == times


@pytest.mark.parametrize(("gathered", "times"), [(59, 0), (60, 1)])
def test_each_side_of_backwards(gathered: int, times: int) -> None:
    assert len(found(steps=1, gathered=gathered)) == times


@pytest.mark.parametrize(("gathered", "times"), [(95, 0), (96, 1)])
def test_each_side_of_backwards_for_a_step(gathered: int, times: int) -> None:
    assert len(found(gathered=gathered)) == times


WHOLE = {"gathered": 14, "backwards": 14, "steps": 14, "whole_epochs": 2800}


def test_a_batch_that_holds_all_examples() -> None:
    (evidence,) = found(**WHOLE)

    assert evidence.saw == "14 steps in the whole run, each on all 2800 examples of the training loader"
    assert evidence.cause == "hp-batch"


@pytest.mark.parametrize(("examples", "times"), [(255, 0), (256, 1)])
def test_each_side_of_examples(examples: int, times: int) -> None:
    assert len(found(**{**WHOLE, "whole_epochs": examples})) == times


def test_a_search_along_a_line_takes_all_examples_at_once() -> None:
    assert found(**{**WHOLE, "gathered": 0}) == []
