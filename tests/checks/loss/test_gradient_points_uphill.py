from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.gradient_points_uphill import CHECK
from firstlight.records.declared import Along, Surface
from firstlight.records.finding import Evidence


def along(*changes: float) -> tuple[Along, ...]:
    """Changes of a loss of one; the last is of the whole step."""
    return tuple(Along(part=10.0 ** (i + 1 - len(changes)), loss=1 + change) for i, change in enumerate(changes))


ILL = Surface(optimizer="SGD", lr=0.1, loss=1.0, along=along(1e-4, 1e-3, 1.1e-2))


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "0.01 of the first step raises the loss on its own batch by 0.0001 from 1, and so does every larger part of it"
    )


@pytest.mark.parametrize(
    ("along", "times"),
    [
        (along(1e-7, 1e-4, 1e-3), 1),
        (along(-1e-7, 1e-4, 1e-3), 1),
        (along(-2e-6, 1e-4, 1e-3), 0),
        (along(1e-4, 0.5, 60.0), 0),
        (along(1e-4, 0.9e-2, 60.0), 1),
        (along(1e-4, 1.1e-2, 60.0), 0),
        (along(1e-4, 1e-3, -1e-2), 0),
        (along(0.0, 0.0, 0.0), 0),
        (along(float("nan"), float("nan"), float("nan")), 0),
    ],
)
def test_both_sides_of_every_limit(along: tuple[Along, ...], times: int) -> None:
    assert len(found(along=along)) == times
