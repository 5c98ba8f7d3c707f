from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.gradients_all_zero import CHECK
from firstlight.records.declared import GradientProfile
from firstlight.records.finding import Evidence

ILL = GradientProfile(
    model="Net",
    weights=(),
    total_norm=3.0,
    most_norm=2.0,
    most_name="layer.1",
    zero_after_steps=("a", "b"),
    tensors=10,
    loss=1.0,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "2 of 10 tensors of `Net` have a gradient of exactly zero after real steps: a, b" in evidence.saw
    assert "not zero" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "arch-dead-units"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"zero_after_steps": ()}, 0),
        ({"zero_after_steps": ("a",)}, 1),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


def test_a_resting_branch_is_a_note() -> None:
    assert found()[0].severity is None
    assert found(tensors=11)[0].severity == "note"
