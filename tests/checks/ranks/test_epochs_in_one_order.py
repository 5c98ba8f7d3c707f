from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.ranks.epochs_in_one_order import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.ranks import DistributedOrder

SAME = DistributedOrder(site=Site(file="train.py", line=33), epochs=(0, 0, 0))


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(SAME, **changes), CHECK.limits))


def test_tells_the_passes() -> None:
    (evidence,) = found()

    assert evidence.saw == "3 passes over the loader all began with its sampler at epoch 0"
    assert evidence.where.line == 33


def test_another_number_for_each_pass_is_fine() -> None:
    assert found(epochs=(0, 1, 2)) == []


def test_one_rank_speaks_for_all() -> None:
    assert found(rank=1) == []


@pytest.mark.parametrize(("epochs", "times"), [((0,), 0), ((0, 0), 1)])
def test_each_side_of_epochs(epochs: tuple[int, ...], times: int) -> None:
    assert len(found(epochs=epochs)) == times
