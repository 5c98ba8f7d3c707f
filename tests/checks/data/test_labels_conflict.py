from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.labels_conflict import CHECK
from firstlight.records.declared import LabelsSeen
from firstlight.records.finding import Evidence

ILL = LabelsSeen(
    train=1000,
    val=100,
    classes=5,
    whole=True,
    unseen=(),
    unseen_classes=0,
    unseen_examples=0,
    repeated=40,
    conflicting=20,
    pair=(1, 3),
    room=200.0,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    (evidence,) = found()

    assert "20 of 1000 training examples share all their inputs" in evidence.saw
    assert "such as classes 1 and 3" in evidence.saw
    assert evidence.wanted == "one class for each input"


@pytest.mark.parametrize(
    ("changes", "severity"),
    [
        ({"conflicting": 10}, "warning"),
        ({"conflicting": 9}, "note"),
        ({"conflicting": 0}, None),
        ({"room": 64.0}, "warning"),
        ({"room": 63.9}, None),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], severity: str | None) -> None:
    """None where nothing is said, else what the card or the evidence says."""
    assert [evidence.severity or CHECK.severity for evidence in found(**changes)] == ([severity] if severity else [])
