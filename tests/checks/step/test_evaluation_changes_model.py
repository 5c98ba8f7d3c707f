from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.evaluation_changes_model import CHECK
from firstlight.records.evaluated import EvaluationLeaves
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import Site

LEFT = EvaluationLeaves(
    step=12,
    site=Site(file="train.py", line=20),
    model="Net",
    evaluations=3,
    weights=3,
    statistics=0,
    between=0,
    in_eval=True,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(LEFT, **changes), CHECK.limits))


def test_other_weights_after_each_evaluation_are_told() -> None:
    (evidence,) = found()

    assert evidence.saw.startswith("after 3 of 3 evaluations training continued with other weights of `Net`")
    assert (evidence.severity, evidence.where.line) == (None, 20)


def test_weights_that_change_between_all_steps_are_fine() -> None:
    assert found(between=1) == []


def test_weights_that_changed_after_some_evaluations_are_fine() -> None:
    assert found(weights=2) == []


@pytest.mark.parametrize(("in_eval", "findings"), [(True, 1), (False, 0)])
def test_statistics_are_a_note_unless_another_check_tells_them(in_eval: bool, findings: int) -> None:
    evidence = found(weights=0, statistics=3, in_eval=in_eval)

    assert len(evidence) == findings
    assert all(one.severity is Severity.NOTE for one in evidence)


@pytest.mark.parametrize(("times", "findings"), [(1, 0), (2, 1)])
def test_each_side_of_evaluations(times: int, findings: int) -> None:
    assert len(found(evaluations=times, weights=times)) == findings
