from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.numerics.precision_distorts import CHECK
from firstlight.records.declared import PrecisionTried
from firstlight.records.finding import Evidence

ILL = PrecisionTried(
    precision="bf16",
    full_loss=1.0,
    low_loss=1.0,
    cosine=0.5,
    nonfinite=0,
    tensors=4,
    vanished=0.0,
    headroom=0.0,
    largest="out",
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    (evidence,) = found()

    assert evidence.saw == "the loss is 1 in float32 and 1 in bf16; the gradients have a cosine of 0.50"
    assert "a cosine of 0.95 or more" in evidence.wanted


@pytest.mark.parametrize(
    ("changes", "severity"),
    [
        ({"cosine": 0.94}, "warning"),
        ({"cosine": 0.95}, None),
        ({"cosine": None}, None),
        ({"cosine": 1.0, "low_loss": 0.94}, "warning"),
        ({"cosine": 1.0, "low_loss": 0.96}, None),
        ({"cosine": 1.0, "vanished": 0.21}, "warning"),
        ({"cosine": 1.0, "vanished": 0.2}, None),
        ({"cosine": 1.0, "headroom": 0.26}, "warning"),
        ({"cosine": 1.0, "headroom": 0.25}, None),
        ({"cosine": None, "nonfinite": 1}, "error"),
        ({"low_loss": float("nan")}, "error"),
        ({"full_loss": float("nan"), "low_loss": float("nan")}, None),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], severity: str | None) -> None:
    """None where nothing is said, else what the card or the evidence says."""
    assert [evidence.severity or CHECK.severity for evidence in found(**changes)] == ([severity] if severity else [])
