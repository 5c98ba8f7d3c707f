import math
from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.gradients_held_down import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.taped import AlteredSeen

CLAMPED = AlteredSeen(
    by="a hook",
    name="a tensor",
    site=Site(file="train.py", line=20),
    times=24,
    step=3,
    flipped=0.0,
    turned=0.0,
    cosine=0.7,
    lost=0.0,
    uneven=0.9,
    kept=0.001,
    bounded=0.98,
    varies=1.0,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(CLAMPED, **changes), CHECK.limits))


def test_tells_who_leaves_how_much_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "a hook leaves 0.001 of the length of the gradient of a tensor, and 98% of its elements end at the same limit"
    )
    assert evidence.where.line == 20


def test_a_limit_on_the_length_is_known_by_what_it_leaves_each_time() -> None:
    (evidence,) = found(bounded=0.01, varies=1.5)

    assert evidence.saw == "a hook leaves 0.001 of the length of the gradient of a tensor"
    assert found(bounded=0.01, varies=1.49) == []
    assert found(bounded=0.01, varies=math.nan) == []


@pytest.mark.parametrize(("kept", "times"), [(0.0099, 1), (0.01, 0), (1.0, 0), (math.nan, 0)])
def test_each_side_of_kept(kept: float, times: int) -> None:
    assert len(found(kept=kept)) == times


@pytest.mark.parametrize(("bounded", "times"), [(0.5, 1), (0.49, 0), (math.nan, 0)])
def test_each_side_of_bounded(bounded: float, times: int) -> None:
    assert len(found(bounded=bounded)) == times


@pytest.mark.parametrize(("seen", "times"), [(6, 1), (5, 0)])
def test_each_side_of_times(seen: int, times: int) -> None:
    assert len(found(times=seen)) == times


@pytest.mark.parametrize(("flipped", "times"), [(0.01, 1), (0.011, 0), (1.0, 0), (math.nan, 0)])
def test_what_turns_it_is_told_by_another_check(flipped: float, times: int) -> None:
    assert len(found(flipped=flipped)) == times
