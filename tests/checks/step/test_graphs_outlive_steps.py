from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.graphs_outlive_steps import CHECK
from firstlight.records.finding import Evidence, Severity
from firstlight.records.kept import GraphsKept
from firstlight.records.places import Site

KEPT = GraphsKept(
    step=12,
    site=Site(file="train.py", line=20),
    model="Net",
    evaluates=True,
    calls=20,
    alive=20,
    whole=20,
    bytes=5_000_000,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(KEPT, **changes), CHECK.limits))


def test_an_evaluation_that_keeps_its_graphs_is_told() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "20 of 20 graphs that `Net` built in evaluation lived at the same time, 5 MB each: up to 100 MB in the whole "
        "program"
    )
    assert (evidence.severity, evidence.where.line) == (None, 20)
    assert "no_grad" in str(evidence.do)


def test_training_that_never_ends_grows_without_end() -> None:
    (evidence,) = found(evaluates=False, whole=None)

    assert evidence.saw.endswith("5 MB each: without limit")
    assert evidence.severity is None


@pytest.mark.parametrize(("calls", "findings"), [(4, 0), (5, 1)])
def test_each_side_of_calls(calls: int, findings: int) -> None:
    assert len(found(calls=calls, alive=calls)) == findings


@pytest.mark.parametrize(("alive", "findings"), [(11, 0), (12, 1)])
def test_each_side_of_share(alive: int, findings: int) -> None:
    assert len(found(evaluates=False, alive=alive)) == findings


@pytest.mark.parametrize(("whole", "severity"), [(10, Severity.NOTE), (11, None)])
def test_each_side_of_bytes(whole: int, severity: Severity | None) -> None:
    (evidence,) = found(whole=whole)

    assert evidence.severity is severity


@pytest.mark.parametrize(("size", "findings"), [(999_999, 0), (1_000_000, 1)])
def test_each_side_of_telling(size: int, findings: int) -> None:
    evidence = found(alive=1, bytes=size)

    assert len(evidence) == findings
    assert all(one.severity is Severity.NOTE for one in evidence)
