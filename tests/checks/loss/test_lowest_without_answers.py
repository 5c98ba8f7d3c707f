import math
from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.lowest_without_answers import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.taped import SettledSeen

SETTLED = SettledSeen(
    site=Site(file="train.py", line=16),
    operation="where",
    step=8,
    loss=0.5,
    first=1.0,
    lowest=0.0,
    rise=0.05,
    apart=0.9,
    crossed=0.0,
    classes=True,
    looks=2,
)
CROSSED = {"crossed": 0.98, "apart": 0.02, "classes": False}


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(SETTLED, **changes), CHECK.limits))


def test_sure_and_wrong_is_told_from_an_axis_too_many() -> None:
    (evidence,) = found()
    assert evidence.cause == "loss-mismatch"
    assert evidence.where.line == 16
    assert "falls from 1 to 0, where they are sure of anything; with the answers of other examples it is 0.05" in (
        evidence.saw
    )
    (crossed,) = found(**CROSSED)
    assert crossed.cause is None
    assert "the same for all examples" in crossed.saw


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"rise": 0.1}, 1),
        ({"rise": 0.11}, 0),
        ({"rise": math.nan}, 0),
        ({"first": 1.0, "lowest": 0.991, "rise": 0.0}, 0),
        ({"first": 1.0, "lowest": 0.989, "rise": 0.0}, 1),
        ({"first": math.nan}, 0),
        ({"classes": False}, 0),
        ({"crossed": 0.49}, 1),
        ({**CROSSED, "crossed": 0.5}, 1),
        ({**CROSSED, "crossed": 0.49}, 0),
        ({**CROSSED, "apart": 0.15}, 1),
        ({**CROSSED, "apart": 0.16}, 0),
        ({"looks": 1}, 0),
        ({"optimizers": 2}, 0),
    ],
)
def test_each_side_of_the_limits(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
