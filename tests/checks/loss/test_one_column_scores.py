from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.one_column_scores import CHECK
from firstlight.records.facts import LossSite
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.sighting import TensorCard

COLUMN = LossSite(
    function="cross_entropy",
    site=Site(file="train.py", line=17),
    calls=12,
    first_step=0,
    prediction=TensorCard(shape=(40, 1), dtype="float32", low=-0.4, high=0.6),
    target=TensorCard(shape=(40, 1), dtype="float32", low=0.0, high=1.0),
    made_by=None,
    made_at=None,
    class_sum_error=1.4,
    class_logsum_error=0.6,
    target_sum_error=1.0,
    most_ignored=0.0,
    least_ignored=0.0,
    most_classes=1,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(COLUMN, **changes), CHECK.limits))


def test_tells_the_shape_and_that_the_loss_is_nothing() -> None:
    (evidence,) = found()

    assert "scores of shape 40×1" in evidence.saw
    assert "always 0" in evidence.saw
    assert evidence.wanted == "one column per class, at least two"
    assert (evidence.where.file, evidence.where.line, evidence.where.step) == ("train.py", 17, 0)
    assert evidence.numbers == {"calls": 12, "classes": 1}


def test_class_indices_are_as_useless() -> None:
    assert len(found(target=TensorCard(shape=(40,), dtype="int64"))) == 1


@pytest.mark.parametrize("function", ["binary_cross_entropy_with_logits", "mse_loss", "nll_loss"])
def test_other_losses_are_fine(function: str) -> None:
    assert found(function=function) == []


@pytest.mark.parametrize(("classes", "times"), [(None, 0), (1, 1), (2, 0)])
def test_the_longest_axis_counts(classes: int | None, times: int) -> None:
    """The first list of candidates may be one long, and the next not."""
    assert len(found(most_classes=classes)) == times


@pytest.mark.parametrize(("calls", "times"), [(2, 0), (3, 1), (4, 1)])
def test_each_side_of_calls(calls: int, times: int) -> None:
    assert len(found(calls=calls)) == times
