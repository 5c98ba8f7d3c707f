from typing import Any

import pytest
from msgspec.structs import replace
from tests.checks.data.feeding import fed, found

from firstlight.checks.data.features_redundant import CHECK
from firstlight.records.feed import Echo, FeedSeen
from firstlight.records.finding import Severity


def asked(varied: int = 8, **changes: Any) -> FeedSeen:
    return replace(fed(**changes), echo=Echo(varied=varied))


def test_inputs_that_never_change_are_an_error() -> None:
    (evidence,) = found(CHECK, asked(constant=10))

    assert evidence.saw == "`input 0`: all 320 rows have the same value in each of its 10 columns"
    assert evidence.severity is Severity.ERROR


def test_beside_another_input_they_are_not() -> None:
    (evidence,) = found(CHECK, replace(asked(constant=10), tensors=2))

    assert evidence.severity is Severity.NOTE


def test_columns_are_named() -> None:
    (evidence,) = found(CHECK, fed(constant=2, first_constant=(3, 7), twins=1, first_twins=((0, 4),)))

    assert (
        evidence.saw == "`input 0`: 2 of 10 columns never change (3, 7); 1 of 10 columns duplicate another (4 equals 0)"
    )
    assert evidence.severity is Severity.NOTE


def test_pixels_at_rest_are_fine() -> None:
    assert found(CHECK, fed(constant=3, shape=(32, 1, 8, 8))) == []
    assert found(CHECK, fed()) == []


def test_a_place_of_a_code_that_never_occurs_is_fine() -> None:
    """A one-hot observation, some of whose states are never visited."""
    assert found(CHECK, fed(constant=2, whole=True, low=-1.0, high=1.0)) == []
    assert len(found(CHECK, fed(constant=2, whole=True, low=0.0, high=2.0))) == 1
    assert len(found(CHECK, fed(constant=2, whole=False, low=0.0, high=1.0))) == 1
    assert len(found(CHECK, asked(constant=10, whole=True, low=0.0, high=1.0))) == 1


@pytest.mark.parametrize(("rows", "times"), [(63, 0), (64, 1)])
def test_each_side_of_rows(rows: int, times: int) -> None:
    assert len(found(CHECK, asked(constant=10, rows=rows))) == times


@pytest.mark.parametrize(("columns", "times"), [(256, 1), (257, 0)])
def test_each_side_of_columns(columns: int, times: int) -> None:
    assert len(found(CHECK, fed(constant=2, columns=columns))) == times


@pytest.mark.parametrize(("varied", "severity"), [(3, Severity.NOTE), (4, Severity.ERROR)])
def test_each_side_of_targets(varied: int, severity: Severity) -> None:
    (evidence,) = found(CHECK, asked(varied, constant=10))

    assert evidence.severity is severity
