from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.selection_runs_backwards import CHECK
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import Site
from firstlight.records.selection import Selection

KEPT = Selection(
    step=12,
    kind="kept",
    site=Site(file="train.py", line=30),
    metric="q",
    best="top",
    larger=False,
    measures="accuracy",
    met=(0.4, 0.5),
    against=(1.0, 0.4),
    times=2,
    kept=1,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(KEPT, **changes), CHECK.limits))


def test_tells_what_the_number_is_and_which_way_it_is_taken() -> None:
    (evidence,) = found()

    assert evidence.saw == "`q` is the accuracy of each evaluation, and a smaller value counts as better"
    assert evidence.where.line == 30
    assert evidence.severity is None


@pytest.mark.parametrize(
    ("measures", "larger", "times"),
    [
        ("accuracy", True, 0),
        ("loss", False, 0),
        ("loss", True, 1),
        ("loss, negated", True, 0),
        ("loss, negated", False, 1),
        ("error rate", True, 1),
        ("", True, 0),
    ],
)
def test_each_way(measures: str, larger: bool, times: int) -> None:
    assert len(found(measures=measures, larger=larger)) == times


@pytest.mark.parametrize(
    ("metric", "best", "larger", "times"),
    [
        ("val_acc", "best", False, 1),
        ("val_acc", "best", True, 0),
        ("score", "best_loss", True, 1),
        ("-val_loss", "best", True, 0),
        ("-val_loss", "best", False, 1),
        ("val_loss", "best_acc", True, 0),
    ],
)
def test_a_name_is_asked_where_nothing_was_measured(metric: str, best: str, larger: bool, times: int) -> None:
    told = found(measures="", metric=metric, best=best, larger=larger)

    assert len(told) == times
    assert all((one.severity, one.confidence) == (Severity.WARNING, CHECK.limits.by_name) for one in told)


def test_a_plateau_is_about_the_schedule() -> None:
    (evidence,) = found(kind="plateau")

    assert "the schedule's mode is `min`" in evidence.saw
    assert evidence.cause == "train-schedule"
