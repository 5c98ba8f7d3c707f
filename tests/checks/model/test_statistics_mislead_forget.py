import math
from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.statistics_mislead import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.inner import NormStatistics
from firstlight.records.places import Site

FORGETS = NormStatistics(
    step=25,
    module="backbone.1",
    site=Site(file="train.py", line=18),
    batches=26,
    momentum=0.99,
    apart=0.004,
    began=2.0,
    between=0.4,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(FORGETS, **changes), CHECK.limits))


def test_tells_the_memory_in_batches() -> None:
    (evidence,) = found()

    assert "`backbone.1` are 0.004 from those of the last batch, and batches are 0.4 from each other" in evidence.saw
    assert "their memory is 1.0 batches" in evidence.saw
    assert evidence.where.line == 18


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"apart": 0.06}, 1),
        ({"apart": 0.061}, 0),
        ({"apart": 0.0, "between": 0.1}, 1),
        ({"apart": 0.0, "between": 0.099}, 0),
        ({"varied": False}, 0),
        ({"between": math.nan}, 0),
        ({"apart": math.nan}, 0),
        ({"momentum": None}, 0),
        ({"momentum": 0.51}, 1),
        ({"momentum": 0.5}, 0),
    ],
)
def test_at_the_last_batch_where_batches_differ(changes: dict[str, float], times: int) -> None:
    assert len(found(**changes)) == times
