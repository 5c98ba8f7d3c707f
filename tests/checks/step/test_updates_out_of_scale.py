from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.updates_out_of_scale import CHECK
from firstlight.records.declared import Updates
from firstlight.records.declared.upkeep import Update
from firstlight.records.finding import Evidence


def of(ratio: float) -> dict[str, Any]:
    return {"updates": (Update(name="w", log_ratio=ratio),)}


ILL = Updates(
    optimizer="Adam",
    adaptive=True,
    step=20,
    lr=1.0,
    peak_lr=1.0,
    updates=(Update(name="w", log_ratio=-0.2),),
    moved=1,
    tensors=1,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "a step of Adam at lr 1 changes a matrix by 10^-0.2 of its spread" in evidence.saw
    assert "at most 10^-0.5" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "hp-lr-high"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        (of(-0.4), 1),
        (of(-0.6), 0),
        (of(-5.9), 0),
        (of(-6.1), 1),
        (of(-6.1) | {"adaptive": False}, 0),
        (of(-7.1) | {"adaptive": False}, 1),
        (of(-7.1) | {"lr": 0.1}, 1),
        (of(-6.1) | {"lr": 0.1}, 0),
        ({"updates": ()}, 0),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
