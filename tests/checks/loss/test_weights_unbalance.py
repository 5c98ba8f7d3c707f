from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.weights_unbalance import CHECK
from firstlight.records.facts import LossSite
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.sighting import TensorCard

CARD = TensorCard(shape=(8, 3), dtype="float32")
BY_COUNT = LossSite(
    function="cross_entropy",
    site=Site(file="train.py", line=12),
    calls=3,
    first_step=1,
    prediction=CARD,
    target=CARD,
    made_by=None,
    made_at=None,
    class_sum_error=None,
    class_logsum_error=None,
    target_sum_error=None,
    most_ignored=0.0,
    least_ignored=0.0,
    counts=(80.0, 20.0, 0.0),
    weighed=(1600.0, 100.0, 0.0),
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(BY_COUNT, **changes), CHECK.limits))


def test_compares_classes_with_and_without_their_weights() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "with weights, one class counts 16 times as much as another in `cross_entropy`; without them it is 4.0 times"
    )


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"calls": 2}, 0),
        ({"weighed": (80.0, 80.0, 0.0)}, 0),
        ({"weighed": (120.0, 10.0, 0.0)}, 1),
        ({"weighed": (119.0, 10.0, 0.0)}, 0),
        ({"counts": (20.0, 20.0, 20.0), "weighed": (200.0, 20.0, 20.0)}, 1),
        ({"counts": (20.0, 20.0, 20.0), "weighed": (199.0, 20.0, 20.0)}, 0),
        ({"counts": (90.0, 10.0), "weighed": (90.0, 0.0)}, 0),
        ({"counts": (), "weighed": ()}, 0),
        ({"weighed": (float("nan"), 100.0, 0.0)}, 0),
    ],
)
def test_each_side_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
