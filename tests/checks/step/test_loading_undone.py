from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.loading_undone import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.restored import Reused

REUSED = Reused(
    step=80,
    module="Net",
    site=Site(file="train.py", line=12),
    called=Site(file="train.py", line=30),
    tensors=10,
    changed=8,
    first_changed="body.0.weight",
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(REUSED, **changes), CHECK.limits))


def test_tells_where_it_was_loaded_and_where_it_was_missed() -> None:
    (evidence,) = found()

    assert evidence.where.line == 12
    assert evidence.saw == (
        "8 of 10 parameters that were loaded into `Net`, such as `body.0.weight`, hold other values when it is called "
        "at train.py:30"
    )


@pytest.mark.parametrize(("changed", "findings"), [(0, 0), (5, 0), (6, 1), (10, 1)])
def test_each_side_of_changed(changed: int, findings: int) -> None:
    assert len(found(changed=changed)) == findings


def test_nothing_was_looked_at() -> None:
    assert found(tensors=0, changed=0) == []
