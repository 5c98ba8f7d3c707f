from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.sizes_awkward import CHECK
from firstlight.records.declared import Weights
from firstlight.records.declared.model import WeightGroup
from firstlight.records.finding import Evidence


def group(*shape: int) -> WeightGroup:
    return WeightGroup(name="out", shape=shape, std=0.1, nearest="He's", ratio=1.0, equal_rows=False, last=False)


ILL = Weights(model="Net", groups=(group(1003, 64), group(64, 777)), pretrained=False, half=True)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    (evidence,) = found()

    assert evidence.saw == "`out` is 1003 x 64 (and 1 more like it)"
    assert evidence.wanted == "multiples of 8, such as 1008 for 1003"


@pytest.mark.parametrize(
    ("changes", "severity"),
    [
        ({"half": False}, None),
        ({"groups": (group(513, 8),)}, "note"),
        ({"groups": (group(511, 8),)}, None),
        ({"groups": (group(1024, 8),)}, None),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], severity: str | None) -> None:
    """None where nothing is said, else what the card or the evidence says."""
    assert [evidence.severity or CHECK.severity for evidence in found(**changes)] == ([severity] if severity else [])
