from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.penalty_lowers_loss import CHECK
from firstlight.records.declared import Penalty
from firstlight.records.finding import Evidence

ILL = Penalty(value=-0.5, larger=-1.1, data_loss=2.0)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "the penalty is -0.5, and -1.1 with all weights 1.5 times as large" in evidence.saw
    assert "a positive number that grows" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "loss-sign"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"value": 0.5, "larger": 1.1}, 0),
        ({"value": 0.5, "larger": 0.4}, 1),
        ({"value": 6.1, "larger": 13.0}, 1),
        ({"value": 5.9, "larger": 13.0}, 0),
        ({"value": 6.1, "larger": 13.0, "data_loss": None}, 0),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
