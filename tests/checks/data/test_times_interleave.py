from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.times_interleave import CHECK
from firstlight.records.declared import TimeOrder
from firstlight.records.finding import Evidence, Severity

ORDER = TimeOrder(
    column="day",
    train_rows=75,
    val_rows=25,
    train_first="1",
    train_last="90",
    val_first="2",
    val_last="100",
    before_last=0.9,
    interleaved=0.375,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ORDER, **changes), CHECK.limits))


def test_tells_the_column_and_the_border() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "90% of the validation rows are not later than `day` 90, the last of training, spread as by a random split"
    )
    assert evidence.severity is Severity.ERROR


@pytest.mark.parametrize(("share", "times"), [(0.0, 0), (0.01, 0), (0.011, 1)])
def test_each_side_of_share(share: float, times: int) -> None:
    assert len(found(before_last=share)) == times


@pytest.mark.parametrize(("interleaved", "severity"), [(0.187, Severity.WARNING), (0.188, Severity.ERROR)])
def test_each_side_of_random(interleaved: float, severity: Severity) -> None:
    (evidence,) = found(interleaved=interleaved)

    assert evidence.severity is severity
