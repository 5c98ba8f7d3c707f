import math
from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.volume_shrinks import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.taped import VolumeSeen

SHRINKS = VolumeSeen(
    site=Site(file="train.py", line=76), step=8, columns=2, examples=256, likeness=1.0, pull=1.0, looks=2
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(SHRINKS, **changes), CHECK.limits))


def test_tells_by_how_much_the_loss_rises() -> None:
    (evidence,) = found()
    assert evidence.where.line == 76
    assert "a map of 2 numbers, which agrees with autograd over 256 examples, raises the loss by 1 " in evidence.saw


@pytest.mark.parametrize(
    ("changes", "times"), [({"pull": -1.0}, 0), ({"pull": 0.01}, 1), ({"pull": math.nan}, 0), ({"looks": 1}, 0)]
)
def test_each_side_of_the_limits(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times
