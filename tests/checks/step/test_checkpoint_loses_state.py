from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.checkpoint_loses_state import CHECK
from firstlight.records.declared import RoundTrip
from firstlight.records.finding import Evidence

ILL = RoundTrip(
    kind="own",
    missing=(),
    unexpected=(),
    reshaped=(),
    rename="",
    output_difference=0.0,
    next_loss_difference=0.2,
    lost=("optimizer",),
    unsafe="",
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "next losses differ by 0.2; not restored: optimizer" in evidence.saw
    assert "the same next steps" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "train-checkpoint"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"next_loss_difference": 1.1e-6}, 1),
        ({"next_loss_difference": 0.9e-6}, 0),
        ({"output_difference": 1.1e-6, "next_loss_difference": 0.0}, 1),
        ({"next_loss_difference": None}, 0),
        ({"next_loss_difference": float("nan")}, 1),
        ({"next_loss_difference": 0.0, "missing": ("a",)}, 1),
        ({"next_loss_difference": 0.0, "unsafe": "numpy"}, 1),
        ({"next_loss_difference": 0.0, "place_lost": True}, 1),
        ({"next_loss_difference": 0.0, "random_lost": ("torch",)}, 1),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


def test_a_prefix_is_named() -> None:
    (evidence,) = found(
        next_loss_difference=None, unexpected=("module.a",), missing=("a",), rename="take `module.` off"
    )

    assert evidence.saw == "the file lacks a; also has module.a"
    assert evidence.do == "take `module.` off"


def test_what_hardly_anybody_saves_is_a_note() -> None:
    (evidence,) = found(next_loss_difference=0.0, random_lost=("torch",))

    assert evidence.severity == "note"
    assert "steps draw from torch" in evidence.saw
    assert "torch.get_rng_state()" in (evidence.do or "")
