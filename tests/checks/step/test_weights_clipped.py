from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.weights_clipped import CHECK
from firstlight.records.facts import Handling
from firstlight.records.finding import Evidence
from firstlight.records.inner import Touched
from firstlight.records.places import Site

SITE = Site(file="train.py", line=9)
CLIPPED = Touched(
    step=30,
    optimizer=0,
    name="Adam",
    built=SITE,
    tensor="0.weight",
    change=0.1,
    likeness=0.95,
    ratio=0.95,
    own=0.1,
    limit=0.05,
    bounded=0.7,
    beyond=0.6,
)


def found(times: int = 89, steps: int = 90, optimizers: int = 1, **changes: Any) -> list[Evidence]:
    """So many times up to the last step."""
    touches = tuple(replace(CLIPPED, step=steps - times + place, **changes) for place in range(times))
    handling = Handling(rank=1, optimizer="Adam", site=SITE, steps=steps, touches=touches, optimizers=optimizers)
    return list(CHECK.find(handling, CHECK.limits))


def test_weights_held_at_a_limit_that_they_began_beyond_are_told() -> None:
    (evidence,) = found()
    assert evidence.saw == (
        "between the steps of Adam the weights are clipped to 0.05: 70% of their elements are held there, and 60% were "
        "as large or larger before the first step"
    )
    assert (evidence.where.line, evidence.where.module) == (9, "0.weight")


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"bounded": 0.5}, 1),
        ({"bounded": 0.49}, 0),
        ({"beyond": 0.25}, 1),
        ({"beyond": 0.24}, 0),
        ({"bounded": float("nan")}, 0),
        ({"beyond": float("nan")}, 0),
        ({"steps": 8, "times": 7}, 1),
        ({"steps": 7, "times": 6}, 0),
        ({"times": 45}, 1),
        ({"times": 44}, 0),
        ({"times": 0}, 0),
    ],
)
def test_each_side_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


def test_a_critic_with_an_opponent_is_clipped_on_purpose() -> None:
    assert found(optimizers=2) == []
