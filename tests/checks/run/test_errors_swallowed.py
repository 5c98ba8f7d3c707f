from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.run.errors_swallowed import CHECK
from firstlight.records.failing import Failing
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import Site

HALF = Failing(
    step=50,
    module="Net",
    site=Site(file="train.py", line=24),
    failed=50,
    returned=50,
    error="IndexError: index out of range in self",
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(HALF, **changes), CHECK.limits))


def test_tells_the_first_exception() -> None:
    (evidence,) = found()

    assert (
        "50 of 100 training calls of `Net` ended in an exception that the program swallowed: IndexError" in evidence.saw
    )
    assert evidence.where.line == 24


@pytest.mark.parametrize(("failed", "times"), [(2, 0), (3, 1)])
def test_each_side_of_failed(failed: int, times: int) -> None:
    assert len(found(failed=failed, returned=0)) == times


@pytest.mark.parametrize(("failed", "times"), [(4, 0), (5, 1)])
def test_each_side_of_share(failed: int, times: int) -> None:
    assert len(found(failed=failed, returned=100 - failed)) == times


@pytest.mark.parametrize(("failed", "severity"), [(19, Severity.WARNING), (20, Severity.ERROR)])
def test_each_side_of_grave(failed: int, severity: Severity) -> None:
    (evidence,) = found(failed=failed, returned=100 - failed)

    assert evidence.severity is severity
