import pytest
from tests.checks.data.feeding import FEED, evaluated, fed, found

from firstlight.checks.data.split_fed_differently import CHECK
from firstlight.records.finding import Severity


def test_tells_both_sides() -> None:
    (evidence,) = found(CHECK, evaluated(wider=255.0))

    assert evidence.saw == "`input 0` is 0 ± 1 in training and 0 ± 255 in evaluation"
    assert (evidence.where.line, evidence.severity) == (30, Severity.ERROR)


@pytest.mark.parametrize(("wider", "times"), [(1.0, 0), (7.9, 0), (8.0, 1), (0.126, 0), (0.125, 1)])
def test_each_side_of_factor(wider: float, times: int) -> None:
    assert len(found(CHECK, evaluated(wider=wider))) == times


@pytest.mark.parametrize(("wider", "severity"), [(29.9, Severity.WARNING), (30.0, Severity.ERROR)])
def test_each_side_of_certain_factor(wider: float, severity: Severity) -> None:
    (evidence,) = found(CHECK, evaluated(wider=wider))

    assert evidence.severity is severity


@pytest.mark.parametrize(("apart", "times"), [(1.0, 0), (3.9, 0), (4.0, 1)])
def test_each_side_of_deviations(apart: float, times: int) -> None:
    evidence = found(CHECK, evaluated(apart=apart))

    assert [e.severity for e in evidence] == [Severity.WARNING] * times


@pytest.mark.parametrize(("rows", "times"), [(15, 0), (16, 1)])
def test_each_side_of_rows(rows: int, times: int) -> None:
    assert len(found(CHECK, evaluated(wider=50.0, rows=rows))) == times


def test_without_an_evaluation_there_is_nothing_to_compare() -> None:
    assert found(CHECK, FEED) == []
    assert found(CHECK, fed()) == []
    assert found(CHECK, evaluated(wider=0.0)) == []
