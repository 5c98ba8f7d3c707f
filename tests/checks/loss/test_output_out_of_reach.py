import math
from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.output_out_of_reach import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.taped import ReachSeen

REACH = ReachSeen(
    operation="relu",
    site=Site(file="train.py", line=11),
    meeting=Site(file="train.py", line=20),
    into="sub",
    looks=2,
    step=8,
    loss=1.0,
    free=0.0,
    bound=0.5,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(REACH, **changes), CHECK.limits))


def test_tells_what_is_in_reach_with_and_without_the_activation() -> None:
    (evidence,) = found()

    assert "behind `relu` the loss of a batch, 1, cannot get below 0.5" in evidence.saw
    assert "without it, 0 is within reach" in evidence.saw
    assert evidence.where.line == 11
    assert evidence.cause == "arch-output"


def test_an_activation_that_the_loss_applies_again_is_named_as_such() -> None:
    scores = {
        "operation": "softmax",
        "into": "cross_entropy",
    }

    assert found(**scores)[0].cause == "loss-double-activation"
    assert found(operation="sigmoid", into="reciprocal")[0].cause == "arch-output"
    assert found(operation="sigmoid", into="reciprocal", probable=True)[0].cause == "loss-double-activation"
    assert found(operation="relu", probable=True)[0].cause == "arch-output"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"bound": 0.34}, 1),
        ({"bound": 0.33}, 0),
        ({"looks": 1}, 0),
        ({"bound": 0.0}, 0),
        ({"loss": 0.0, "bound": 0.0}, 0),
        ({"free": math.nan}, 0),
        ({"bound": math.nan}, 0),
        ({"loss": 10.0, "free": 8.0, "bound": 9.0}, 1),
        ({"free": -0.009}, 1),
        ({"free": -0.02}, 0),
        ({"loss": -1.0, "free": -3.0, "bound": -1.0}, 0),
    ],
)
def test_a_third_of_what_could_be_lost(changes: dict[str, float], times: int) -> None:
    assert len(found(**changes)) == times
