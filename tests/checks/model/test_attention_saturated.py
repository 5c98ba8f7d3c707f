from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.attention_saturated import CHECK
from firstlight.records.declared import AttentionRows
from firstlight.records.finding import Evidence

ILL = AttentionRows(name="attention call 0", keys=20, entropy=0.01, largest_score=90.0)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "attention over 20 keys has 1.0% of the entropy of uniform attention, with scores up to 90" in evidence.saw
    assert "at least 5% at the start" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "num-logit-growth"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"entropy": 0.049}, 1),
        ({"entropy": 0.051}, 0),
        ({"largest_score": 31.0}, 1),
        ({"largest_score": 29.0}, 0),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
