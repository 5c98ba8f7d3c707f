from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.vocabulary_disagrees import CHECK
from firstlight.records.declared import Vocabulary
from firstlight.records.finding import Evidence

ILL = Vocabulary(
    size=302,
    table="words",
    rows=300,
    highest=299,
    ids=1000,
    sequences=10,
    doubled=0,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    (evidence,) = found()

    assert evidence.saw == "the tokenizer has 302 ids and `words` has 300 rows"
    assert "at least 302 rows" in evidence.wanted


@pytest.mark.parametrize(
    ("changes", "severity"),
    [
        ({"size": 301}, "error"),
        ({"size": 300}, None),
        ({"size": 299}, "error"),
        ({"size": 300, "doubled": 6}, "warning"),
        ({"size": 300, "doubled": 5}, None),
        ({"size": 280, "highest": 279}, None),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], severity: str | None) -> None:
    """None where nothing is said, else what the card or the evidence says."""
    assert [evidence.severity or CHECK.severity for evidence in found(**changes)] == ([severity] if severity else [])
