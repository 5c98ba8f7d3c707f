from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.loss_double_activation import CHECK
from firstlight.records.facts import LossSite
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.sighting import TensorCard

DOUBLED = LossSite(
    function="cross_entropy",
    site=Site(file="train.py", line=34),
    calls=12,
    first_step=0,
    prediction=TensorCard(shape=(50, 10), dtype="float32", low=0.000521, high=0.967),
    target=TensorCard(shape=(50,), dtype="int64", low=0.0, high=9.0),
    made_by="softmax",
    made_at=Site(file="model.py", line=18),
    class_sum_error=1e-7,
    class_logsum_error=2.3,
    target_sum_error=None,
    most_ignored=0.0,
    least_ignored=0.0,
)
"""Seen in the graph."""

VALUES_ONLY = replace(DOUBLED, made_by=None, made_at=None)
"""As a compiled model shows itself: rows that sum to 1, and no graph to tell why."""


def found(loss: LossSite = DOUBLED, **changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(loss, **changes), CHECK.limits))


def test_names_the_activation_and_its_line() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "`cross_entropy` is given the output of `softmax` at model.py:18: values in [0.000521, 0.967]"
    )
    assert evidence.wanted == "raw scores; `cross_entropy` applies softmax itself"
    assert evidence.do == "return the raw scores at model.py:18: drop that `softmax`"
    assert (evidence.where.file, evidence.where.line) == ("train.py", 34)


def test_sigmoid_before_bce_with_logits() -> None:
    (evidence,) = found(function="binary_cross_entropy_with_logits", made_by="sigmoid")

    assert "the output of `sigmoid`" in evidence.saw
    assert evidence.wanted == "raw scores; `binary_cross_entropy_with_logits` applies sigmoid itself"


@pytest.mark.parametrize(
    ("function", "made_by"),
    [
        ("cross_entropy", "log_softmax"),
        ("cross_entropy", "sigmoid"),
        ("binary_cross_entropy_with_logits", "softmax"),
        ("binary_cross_entropy_with_logits", None),
        ("binary_cross_entropy", "sigmoid"),
        ("nll_loss", "log_softmax"),
        ("mse_loss", "softmax"),
    ],
)
def test_other_pairs_are_fine(function: str, made_by: str | None) -> None:
    assert found(function=function, made_by=made_by) == []


def test_values_alone_are_enough_without_a_graph() -> None:
    (evidence,) = found(VALUES_ONLY)

    assert "rows that sum to 1" in evidence.saw
    assert evidence.do is None


@pytest.mark.parametrize(
    "changes",
    [
        {"prediction": TensorCard(shape=(50, 10), dtype="float32", low=-0.1, high=0.967)},
        {"prediction": TensorCard(shape=(10,), dtype="float32", low=0.0, high=0.967)},
        {"class_sum_error": None},
    ],
    ids=["negative", "one dimension", "sums unknown"],
)
def test_values_that_are_no_probabilities_are_fine(changes: dict[str, Any]) -> None:
    assert found(VALUES_ONLY, **changes) == []


@pytest.mark.parametrize(("error", "times"), [(0.0009, 1), (0.001, 1), (0.0011, 0), (0.0019, 0)])
def test_each_side_of_sum_error(error: float, times: int) -> None:
    assert len(found(VALUES_ONLY, class_sum_error=error)) == times


@pytest.mark.parametrize(("calls", "times"), [(2, 0), (3, 0), (4, 1), (5, 1)])
def test_each_side_of_calls_without_graph(calls: int, times: int) -> None:
    assert len(found(VALUES_ONLY, calls=calls)) == times


def test_one_call_is_enough_where_the_graph_tells() -> None:
    assert len(found(calls=1)) == 1


@pytest.mark.parametrize(("classes", "times"), [(1, 0), (2, 0), (3, 1), (4, 1)])
def test_each_side_of_least_classes(classes: int, times: int) -> None:
    card = TensorCard(shape=(50, classes), dtype="float32", low=0.0, high=1.0)

    assert len(found(VALUES_ONLY, prediction=card)) == times
