from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.loss_missing_activation import CHECK
from firstlight.records.facts import LossSite
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.sighting import TensorCard

RAW = LossSite(
    function="nll_loss",
    site=Site(file="train.py", line=30),
    calls=12,
    first_step=0,
    prediction=TensorCard(shape=(50, 4), dtype="float32", low=-0.422, high=5.1),
    target=TensorCard(shape=(50,), dtype="int64", low=0.0, high=3.0),
    made_by=None,
    made_at=None,
    class_sum_error=8.0,
    class_logsum_error=5.2,
    target_sum_error=None,
    most_ignored=0.0,
    least_ignored=0.0,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(RAW, **changes), CHECK.limits))


def test_tells_the_range_and_the_distance_from_log_probabilities() -> None:
    (evidence,) = found()

    assert "`nll_loss` is given values from -0.422 to 5.1" in evidence.saw
    assert "log-sum-exp 5.2 away from 0" in evidence.saw
    assert evidence.wanted == "log-probabilities: no value above 0, log-sum-exp 0"
    assert (evidence.where.file, evidence.where.line) == ("train.py", 30)
    assert evidence.numbers == {"logsum_error": 5.2, "high": 5.1}


def test_kl_div_wants_log_probabilities_too() -> None:
    assert len(found(function="kl_div")) == 1


@pytest.mark.parametrize("function", ["cross_entropy", "mse_loss", "binary_cross_entropy"])
def test_other_losses_are_fine(function: str) -> None:
    assert found(function=function) == []


def test_log_softmax_over_another_axis_is_not_judged() -> None:
    assert found(made_by="log_softmax") == []


def test_unknown_sums_are_not_judged() -> None:
    assert found(class_logsum_error=None) == []


@pytest.mark.parametrize(("error", "times"), [(0.049, 0), (0.05, 0), (0.051, 1), (0.099, 1)])
def test_each_side_of_logsum_error(error: float, times: int) -> None:
    assert len(found(class_logsum_error=error)) == times


@pytest.mark.parametrize(("calls", "times"), [(1, 0), (2, 1), (3, 1)])
def test_each_side_of_calls(calls: int, times: int) -> None:
    assert len(found(calls=calls)) == times
