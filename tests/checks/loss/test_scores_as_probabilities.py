import math
from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.scores_as_probabilities import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.taped import FloorSeen

FLOOR = FloorSeen(
    operation="mul",
    site=Site(file="train.py", line=11),
    step=8,
    low=-3.0,
    high=2.0,
    perfect=0.1,
    spread=0.9,
    lowest=-500.0,
    looks=2,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(FLOOR, **changes), CHECK.limits))


def test_tells_the_values_and_how_low_they_may_bring_the_loss() -> None:
    (evidence,) = found()

    assert "targets from 0 to 1 with values that may leave that range, now from -3 to 2;" in evidence.saw
    assert "it is 0.1, but other values bring it down to -500" in evidence.saw
    assert evidence.where.line == 11


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"perfect": 0.0, "spread": 1.0, "lowest": -10.0}, 1),
        ({"perfect": 0.0, "spread": 1.0, "lowest": -9.9}, 0),
        ({"lowest": 0.0}, 0),
        ({"lowest": math.nan}, 0),
        ({"spread": math.nan}, 0),
        ({"looks": 1}, 0),
        ({"optimizers": 2}, 0),
    ],
)
def test_far_below_what_is_perfect_at_two_looks_of_one_player(changes: dict[str, float], times: int) -> None:
    assert len(found(**changes)) == times
