import math
from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.output_runs_away import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.taped import RunawaySeen

RUNAWAY = RunawaySeen(
    site=Site(file="train.py", line=53),
    output=Site(file="train.py", line=38),
    way="up",
    step=8,
    shift=4096.0,
    loss=0.4,
    lowest=-2048.0,
    looks=2,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(RUNAWAY, **changes), CHECK.limits))


def test_tells_the_output_and_which_way_it_is_rewarded_for_going() -> None:
    (evidence,) = found()

    assert "the output of train.py:38 goes up, the lower the loss: from 0.4 to -2048" in evidence.saw
    assert evidence.where.line == 53
    assert "the output goes down" in found(output=None, way="down")[0].saw


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"loss": 1.0, "lowest": -1.1}, 1),
        ({"loss": 1.0, "lowest": -1.0}, 0),
        ({"lowest": math.nan}, 0),
        ({"loss": math.nan}, 0),
        ({"looks": 1}, 0),
        ({"optimizers": 2}, 0),
    ],
)
def test_far_enough_at_two_looks_of_one_player(changes: dict[str, float], times: int) -> None:
    assert len(found(**changes)) == times
