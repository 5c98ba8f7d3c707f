import math

import pytest

from firstlight.checks.learning.cause_inferred import CHECK
from firstlight.records.finding import Evidence, Severity
from firstlight.records.inferred import Inferred
from firstlight.records.places import Site


def found(
    probability: float = 0.7, proven: str | None = None, stands_still: bool = True, reasons: int = 1
) -> list[Evidence]:
    fact = Inferred(
        cause="train-frozen",
        meaning="parameters frozen by accident",
        probability=probability,
        proven=proven,
        supported_by=tuple(f"reason {number}" for number in range(reasons)),
        site=Site(file="train.py", line=9),
        fix="set requires_grad on those that should train",
        stands_still=stands_still,
    )
    return list(CHECK.find(fact, CHECK.limits))


def test_a_likely_cause_of_a_program_that_stands_still_is_a_warning() -> None:
    (evidence,) = found()

    assert (evidence.cause, evidence.severity, evidence.confidence) == ("train-frozen", Severity.WARNING, 0.7)
    assert (evidence.where.file, evidence.where.line) == ("train.py", 9)
    assert evidence.likely == "inferred: parameters frozen by accident"


def test_a_proven_cause_is_an_error_whether_or_not_the_program_moves() -> None:
    (evidence,) = found(proven="let every parameter require a gradient", stands_still=False)

    assert evidence.severity is Severity.ERROR
    assert evidence.saw == "reason 0; let every parameter require a gradient, and it learns"


def test_a_program_that_learns_is_not_suspected() -> None:
    assert found(stands_still=False) == []


@pytest.mark.parametrize(("probability", "times"), [(0.49, 0), (0.5, 1), (1.0, 1), (1.1, 0), (math.nan, 0)])
def test_each_side_of_probability(probability: float, times: int) -> None:
    assert len(found(probability)) == times


@pytest.mark.parametrize(("reasons", "shown"), [(2, 2), (3, 3), (4, 3)])
def test_each_side_of_shown(reasons: int, shown: int) -> None:
    assert found(reasons=reasons)[0].saw.count("reason") == shown
