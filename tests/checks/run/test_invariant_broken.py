from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.run.invariant_broken import CHECK
from firstlight.records.declared import InvariantTried
from firstlight.records.finding import Evidence

ILL = InvariantTried(
    name="budget", on="attend", check="64 <= min", severity="error", looks=4, broken=1, first="min 12, max 30"
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "min 12, max 30 (1 of 4 batches)" in evidence.saw
    assert "`64 <= min` of `attend`" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "unknown"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"broken": 0}, 0),
        ({"broken": 4}, 1),
        ({"broken": 0, "missing": "there is no attend"}, 1),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


def test_the_author_chooses_the_severity() -> None:
    assert found(severity="note")[0].severity == "note"
    assert found(severity="warning")[0].severity == "warning"
