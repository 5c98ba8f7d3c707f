from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.embedding_oversized import CHECK
from firstlight.records.declared import EmbeddingUse
from firstlight.records.finding import Evidence

ILL = EmbeddingUse(name="embed", rows=50_000, highest=99, seen=90, ids=900, padding=0, padding_share=0.1)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "`embed` has 50000 rows, and the highest of 900 ids is 99" in evidence.saw
    assert "about as large" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "data-tokenizer"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"rows": 2001}, 1),
        ({"rows": 2000}, 0),
        ({"ids": 199}, 0),
        ({"rows": 100, "padding_share": 0.91}, 1),
        ({"rows": 100, "padding_share": 0.9}, 0),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
