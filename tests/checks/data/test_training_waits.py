from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.training_waits import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.program import Waiting

SITE = Site(file="train.py", line=29)
SLOW = Waiting(step=40, site=SITE, dataset="Log", workers=0, batches=40, waited=3.8, elapsed=4.0)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(SLOW, **changes), CHECK.limits))


def test_tells_share_and_time() -> None:
    (evidence,) = found()

    assert evidence.saw == "95% of the time is spent waiting for batches of `Log`, 0.095 s for each, with 0 workers"
    assert evidence.where.line == 29


@pytest.mark.parametrize(("waited", "times"), [(2.9, 0), (3.1, 1)])
def test_each_side_of_share(waited: float, times: int) -> None:
    assert len(found(waited=waited)) == times


@pytest.mark.parametrize(("waited", "times"), [(0.79, 0), (0.81, 1)])
def test_each_side_of_shortest(waited: float, times: int) -> None:
    assert len(found(waited=waited, elapsed=0.82)) == times


@pytest.mark.parametrize(("batches", "times"), [(9, 0), (10, 1)])
def test_each_side_of_batches(batches: int, times: int) -> None:
    assert len(found(batches=batches)) == times
