from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.classes_unseen import CHECK
from firstlight.records.declared import LabelsSeen
from firstlight.records.finding import Evidence

ILL = LabelsSeen(
    train=1000,
    val=100,
    classes=5,
    whole=True,
    unseen=(7, 8),
    unseen_classes=2,
    unseen_examples=10,
    repeated=0,
    conflicting=0,
    pair=(),
    room=200.0,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    (evidence,) = found()

    assert evidence.saw == "10 of 100 validation examples are of 2 classes without a training example: 7, 8"
    assert "among the 5 of the 1000" in evidence.wanted


@pytest.mark.parametrize(
    ("changes", "severity"),
    [
        ({"unseen_examples": 1}, "warning"),
        ({"unseen_examples": 1, "val": 101}, "note"),
        ({"unseen_examples": 100}, "note"),
        ({"unseen_examples": 0}, None),
        ({"whole": False}, None),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], severity: str | None) -> None:
    """None where nothing is said, else what the card or the evidence says."""
    assert [evidence.severity or CHECK.severity for evidence in found(**changes)] == ([severity] if severity else [])
