from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.numerics.precision_too_low import CHECK
from firstlight.records.facts import Precision
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

HALF = Precision(site=Site(file="train.py", line=20), scores="bfloat16", weights="bfloat16", scaled=False, still=0.8)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(HALF, **changes), CHECK.limits))


def test_tells_how_many_weights_stand_still() -> None:
    (evidence,) = found()

    assert evidence.saw == "a step leaves 80% of the bfloat16 weights exactly as they were"
    assert evidence.where.line == 20


def test_float16_wants_a_scaler() -> None:
    (evidence,) = found(scores="float16", weights="float32", still=0.0)

    assert evidence.saw == "scores are computed in float16 without a `GradScaler`"
    assert found(scores="float16", weights="float32", still=0.0, scaled=True) == []


def test_mixed_precision_with_bfloat16_is_fine() -> None:
    assert found(weights="float32", still=0.0) == []


@pytest.mark.parametrize(("still", "times"), [(0.49, 0), (0.5, 1)])
def test_each_side_of_still(still: float, times: int) -> None:
    assert len(found(still=still)) == times
