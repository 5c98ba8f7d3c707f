from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.target_copies_input import CHECK
from firstlight.records.declared import LagSeen
from firstlight.records.finding import Evidence

ILL = LagSeen(length=16, places=4, offset=15, whole_numbers=False)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    (evidence,) = found()

    assert evidence.saw == "1 of 4 target values are input values, starting at position 15 of 16"
    assert evidence.wanted == "targets that come after the last input"


@pytest.mark.parametrize(
    ("changes", "severity"),
    [
        ({"offset": None}, None),
        ({"whole_numbers": True}, "warning"),
        ({"places": 16, "offset": 8}, "error"),
        ({"places": 16, "offset": 7}, None),
        ({"aligned": True, "offset": 1, "whole_numbers": True}, None),
        ({"aligned": True, "offset": 0, "whole_numbers": True, "causal": True}, "error"),
        ({"aligned": True, "offset": 0, "whole_numbers": True, "causal": False}, None),
        ({"aligned": True, "offset": 0, "whole_numbers": True}, None),
        ({"aligned": True, "offset": 0}, None),
        ({"aligned": True, "offset": -1}, "warning"),
        ({"aligned": True, "offset": 2, "whole_numbers": True}, "warning"),
        ({"aligned": True, "offset": 2}, None),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], severity: str | None) -> None:
    """None where nothing is said, else what the card or the evidence says."""
    assert [evidence.severity or CHECK.severity for evidence in found(**changes)] == ([severity] if severity else [])


@pytest.mark.parametrize(("offset", "cause"), [(-1, "data-leak-target"), (2, "data-label-misaligned")])
def test_the_direction_tells_the_cause(offset: int, cause: str) -> None:
    (evidence,) = found(aligned=True, offset=offset, whole_numbers=True)

    assert evidence.cause == cause
