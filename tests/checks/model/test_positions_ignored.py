from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.positions_ignored import CHECK
from firstlight.records.declared import PositionTried
from firstlight.records.finding import Evidence

ILL = PositionTried(length=16, change=0.0, predicts_next=True)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "with the 15 tokens before it reversed, the last output changes by 0.0e+00" in evidence.saw
    assert "at least 0.0001" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "arch-position"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"change": 0.9e-4}, 1),
        ({"change": 1.1e-4}, 0),
        ({"predicts_next": False}, 0),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
