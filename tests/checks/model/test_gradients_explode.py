from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.gradients_explode import CHECK
from firstlight.records.declared import GradientProfile
from firstlight.records.declared.model import WeightGradient
from firstlight.records.finding import Evidence


def layers(*gradients: float) -> tuple[WeightGradient, ...]:
    return tuple(WeightGradient(name=f"layer.{i}", weight=1.0, gradient=g) for i, g in enumerate(gradients))


ILL = GradientProfile(
    model="Net",
    weights=layers(1e5, 1.0, 1.0, 1.0),
    total_norm=3.0,
    most_norm=2.0,
    most_name="layer.1",
    zero_after_steps=(),
    tensors=10,
    loss=1.0,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert (
        "gradients of the first layers are 1.0e+05 times those of the last (total norm 3, largest 2 at layer.1)"
        in evidence.saw
    )
    assert "at most 10000 times" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "arch-exploding"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"weights": layers(1.1e4, 1.0, 1.0, 1.0)}, 1),
        ({"weights": layers(0.9e4, 1.0, 1.0, 1.0)}, 0),
        ({"weights": layers(1e5, 1.0, 1.0)}, 0),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
