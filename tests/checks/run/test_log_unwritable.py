from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.run.log_unwritable import CHECK
from firstlight.records.declared import LogTried
from firstlight.records.finding import Evidence

ILL = LogTried(
    path="logs/events.ndjson", written=False, read_back=False, free_bytes=10**9, error="FileNotFoundError: no"
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "could not be written to logs/events.ndjson: FileNotFoundError" in evidence.saw
    assert "can be written and read back" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "unknown"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"written": True}, 1),
        ({"written": True, "read_back": True}, 0),
        ({"written": True, "read_back": True, "free_bytes": 199_000_000}, 1),
        ({"written": True, "read_back": True, "free_bytes": 201_000_000}, 0),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
