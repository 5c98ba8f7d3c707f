from typing import Any

import pytest

from firstlight.checks.tables.splits_differ import CHECK
from firstlight.records.finding import Evidence, Severity
from firstlight.records.tables import Drifted, SplitDrift

BASE: dict[str, Any] = {"file": "val.csv", "split": "val", "rows": 500, "columns": (), "told_apart": 0.5}


def found(**fields: Any) -> list[Evidence]:
    return list(CHECK.find(SplitDrift(**(BASE | fields)), CHECK.limits))


def column(distance: float, q: float, within: float = 0.0) -> Drifted:
    return Drifted(name="a", distance=distance, q=q, saw="median 3, in training 1", within=within)


def test_both_sides_of_the_distance_and_of_chance() -> None:
    (evidence,) = found(columns=(column(0.2, 0.001),))

    assert "`a` (median 3, in training 1; distance 0.20)" in evidence.saw
    assert found(columns=(column(0.19, 0.0),)) == []
    assert found(columns=(column(0.9, 0.0011),)) == []


def test_both_sides_of_the_classifier() -> None:
    (evidence,) = found(told_apart=0.75, by=("`a` (60%)",))

    assert evidence.saw == "a classifier tells its rows from training rows 75% of the time, by `a` (60%)"
    assert found(told_apart=0.74) == []


@pytest.mark.parametrize(("within", "severity"), [(0.2, Severity.NOTE), (0.19, None)])
def test_both_sides_of_what_moves_within_training_too(within: float, severity: Severity | None) -> None:
    (evidence,) = found(columns=(column(0.4, 0.0, within),))

    assert evidence.severity is severity


@pytest.mark.parametrize(("within", "severity"), [(0.75, Severity.NOTE), (0.74, None)])
def test_both_sides_of_a_classifier_that_tells_halves_of_training_apart(
    within: float, severity: Severity | None
) -> None:
    (evidence,) = found(told_apart=1.0, within=within)

    assert evidence.severity is severity


def test_one_column_that_stood_still_before_is_a_warning() -> None:
    (evidence,) = found(columns=(column(0.9, 0.0, 0.8), column(0.4, 0.0, 0.0)))

    assert evidence.severity is None


def test_classes_that_were_never_trained_on() -> None:
    (evidence,) = found(unseen=("owl",))

    assert evidence.cause == "data-label-range"
