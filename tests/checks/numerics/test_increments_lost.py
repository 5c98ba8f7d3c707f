from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.numerics.increments_lost import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.rounded import RoundedAway

LOST = RoundedAway(
    step=24,
    site=Site(file="train.py", line=19),
    operation="lerp_",
    dtype="bfloat16",
    tensors=10,
    updates=24,
    moved=0.002,
    missed=0.9,
    nearest=0.8,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(LOST, **changes), CHECK.limits))


def test_tells_what_is_missing() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "24 updates of 10 bfloat16 tensors by `lerp_` should have moved them by 0.002 of their size; 90% of that was "
        "lost to rounding; they get no nearer than 80% to what they average"
    )
    assert evidence.where.line == 19


def test_a_sum_comes_near_to_nothing() -> None:
    (evidence,) = found(nearest=None)

    assert evidence.saw.endswith("lost to rounding")


@pytest.mark.parametrize(
    ("limit", "below", "at"),
    [("updates", 4, 5), ("missed", 0.49, 0.5), ("moved", 9e-5, 1e-4), ("nearest", 0.09, 0.1)],
)
def test_each_side_of_each_limit(limit: str, below: float, at: float) -> None:
    assert found(**{limit: below}) == []
    assert len(found(**{limit: at})) == 1
