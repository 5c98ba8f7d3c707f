from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.inputs_double import CHECK
from firstlight.records.declared import Output
from firstlight.records.finding import Evidence
from firstlight.records.sighting import TensorCard


def card(dtype: str) -> TensorCard:
    return TensorCard(shape=(8, 4), dtype=dtype)


ILL = Output(
    examples=8,
    inputs=(card("float64"),),
    outputs=(card("float32"),),
    target=None,
    loss=None,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    (evidence,) = found()

    assert "input 0 is float64" in evidence.saw
    assert evidence.wanted == "float32 inputs"


@pytest.mark.parametrize(
    ("changes", "severity"),
    [
        ({"inputs": (card("float32"), card("float64"))}, "note"),
        ({"inputs": (card("float32"),)}, None),
        ({"outputs": (card("float64"),)}, None),
        ({"outputs": ()}, None),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], severity: str | None) -> None:
    """None where nothing is said, else what the card or the evidence says."""
    assert [evidence.severity or CHECK.severity for evidence in found(**changes)] == ([severity] if severity else [])
