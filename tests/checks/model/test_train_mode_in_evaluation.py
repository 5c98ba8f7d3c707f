from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.train_mode_in_evaluation import CHECK
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import Site
from firstlight.records.training import EvaluationSeen

SEEN = EvaluationSeen(
    step=100,
    rank=1,
    model=0,
    name="Net",
    site=Site(file="train.py", line=14),
    phases=5,
    crowded=0,
    in_eval=False,
    alone=True,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(SEEN, **changes), CHECK.limits))


def test_names_the_model_and_counts_its_evaluations() -> None:
    (evidence,) = found()

    assert evidence.saw == "`Net` was evaluated 5 times without gradients, each time in train mode"
    assert evidence.wanted == "eval mode, in which dropout is off and batch statistics are not updated"
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("train.py", 14, 1)
    assert evidence.numbers == {"phases": 5, "scored": 0}


def test_it_warns() -> None:
    assert CHECK.severity is Severity.WARNING


def test_a_model_that_is_also_called_in_eval_mode_is_fine() -> None:
    assert found(in_eval=True) == []


def test_calls_within_the_training_step_are_fine() -> None:
    assert found(crowded=1) == []


def test_one_of_several_trained_models_is_passed_over() -> None:
    assert found(alone=False) == []


@pytest.mark.parametrize(("phases", "times"), [(0, 0), (1, 0), (2, 1), (3, 1)])
def test_each_side_of_phases(phases: int, times: int) -> None:
    assert len(found(phases=phases)) == times


@pytest.mark.parametrize(("scored", "times"), [(7, 0), (8, 1)])
def test_a_single_evaluation_is_one_where_its_answers_meet_targets(scored: int, times: int) -> None:
    evidence = found(phases=1, scored=scored)

    assert [one.saw for one in evidence] == [
        "`Net` was called without gradients for 8 outputs that are compared with targets, in train mode"
    ] * times


def test_a_model_that_was_in_eval_mode_before_is_told_where_it_is_asked_at_last() -> None:
    site = Site(file="train.py", line=90)
    (evidence,) = found(in_eval=True, scored_at_end=8, scored_site=site)

    assert (evidence.where.line, evidence.numbers) == (90, {"scored": 8})
    assert found(in_eval=True, scored_at_end=7, scored_site=site) == []
    assert found(in_eval=True, scored_at_end=8, scored_site=site, alone=False) == []
