from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.step_overshoots import CHECK
from firstlight.records.declared import Along, Surface
from firstlight.records.finding import Evidence


def along(*losses: float) -> tuple[Along, ...]:
    """The last is the whole step."""
    return tuple(Along(part=10.0 ** (i + 1 - len(losses)), loss=loss) for i, loss in enumerate(losses))


ILL = Surface(optimizer="Adam", lr=5.0, loss=1.1, along=along(1.09, 1.0, 8.0, 6e4))


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "the first step of Adam at 5 takes the loss on its own batch from 1.1 to 6e+04; 0.01 of that step takes it to 1"
    )
    assert evidence.wanted == "at most 10 times the loss"
    assert evidence.do == "try a learning rate of 0.05"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"along": along(1.0, 11.1)}, 1),
        ({"along": along(1.0, 10.9)}, 0),
        ({"along": along(1.0, float("nan"))}, 1),
        ({"along": along(1.0, float("inf"))}, 1),
        ({"along": along(1.2, 11.1)}, 0),
        ({"loss": 0.0}, 0),
        ({"loss": -1.1}, 0),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
