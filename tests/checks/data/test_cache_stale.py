from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.cache_stale import CHECK
from firstlight.records.declared import CacheTried
from firstlight.records.finding import Evidence

ILL = CacheTried(examples=16, differing=3, first=5, told="tensor 0 is off by up to 2")


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    (evidence,) = found()

    assert "3 of 16 examples differ" in evidence.saw
    assert "example 5: tensor 0 is off by up to 2" in evidence.saw
    assert evidence.wanted == "the same values"


@pytest.mark.parametrize(
    ("changes", "severity"),
    [
        ({"differing": 1}, "error"),
        ({"differing": 0}, None),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], severity: str | None) -> None:
    """None where nothing is said, else what the card or the evidence says."""
    assert [evidence.severity or CHECK.severity for evidence in found(**changes)] == ([severity] if severity else [])
