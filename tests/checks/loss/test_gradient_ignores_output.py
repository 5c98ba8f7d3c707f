from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.gradient_ignores_output import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.timelines import CustomGradient

DEAF = CustomGradient(step=0, rank=1, name="Forgiving", site=Site(file="train.py", line=27), ratio=1.0)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(DEAF, **changes), CHECK.limits))


def test_tells_the_function_and_the_ratio() -> None:
    (evidence,) = found()

    assert evidence.saw == "given twice the gradient, `Forgiving.backward` returns 1 times the result"
    assert evidence.wanted == "2 times the result"
    assert (evidence.where.file, evidence.where.line, evidence.where.module) == ("train.py", 27, "Forgiving")
    assert (evidence.where.step, evidence.where.rank) == (0, 1)
    assert evidence.numbers == {"ratio": 1.0}


@pytest.mark.parametrize("ratio", [0.0, 0.5, 4.0, float("nan"), float("inf")])
def test_any_other_ratio_is_wrong(ratio: float) -> None:
    assert len(found(ratio=ratio)) == 1


def test_linear_is_right() -> None:
    """The expected ratio itself: straight-through, reversed and scaled gradients all double."""
    assert found(ratio=2.0) == []


@pytest.mark.parametrize(("ratio", "times"), [(1.961, 1), (1.979, 1), (1.981, 0), (2.019, 0), (2.021, 1), (2.039, 1)])
def test_each_side_of_tolerance(ratio: float, times: int) -> None:
    assert len(found(ratio=ratio)) == times
