from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.activation_over_wrong_axis import CHECK
from firstlight.records.facts import LossSite
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.sighting import TensorCard

ACROSS = LossSite(
    function="nll_loss",
    site=Site(file="train.py", line=30),
    calls=12,
    first_step=0,
    prediction=TensorCard(shape=(45, 6), dtype="float32", low=-6.0, high=-2.5),
    target=TensorCard(shape=(45,), dtype="int64", low=0.0, high=5.0),
    made_by="log_softmax",
    made_at=Site(file="model.py", line=19),
    class_sum_error=25.0,
    class_logsum_error=2.4,
    target_sum_error=None,
    most_ignored=0.0,
    least_ignored=0.0,
    most_classes=6,
    normalised_axis=0,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ACROSS, **changes), CHECK.limits))


def test_tells_both_axes_and_points_at_the_activation() -> None:
    (evidence,) = found()

    assert "`nll_loss` is given 45×6 values that `log_softmax` has normalised over axis 0 (45 long)" in evidence.saw
    assert "2.4 away from 0" in evidence.saw
    assert evidence.wanted == "log-probabilities over axis 1, the 6 classes"
    assert (evidence.where.file, evidence.where.line) == ("model.py", 19)
    assert evidence.numbers == {"logsum_error": 2.4, "axis": 0}


def test_without_the_activations_line_the_loss_is_pointed_at() -> None:
    (evidence,) = found(made_at=None)

    assert (evidence.where.file, evidence.where.line) == ("train.py", 30)


def test_the_axis_of_positions_is_another_one_too() -> None:
    shape = TensorCard(shape=(8, 6, 20), dtype="float32")

    assert "over axis 2 (20 long)" in found(prediction=shape, normalised_axis=2)[0].saw


def test_a_square_of_the_batch_with_itself_is_not_judged() -> None:
    assert found(prediction=TensorCard(shape=(45, 45), dtype="float32")) == []


def test_scores_cut_out_of_log_probabilities_are_not_judged() -> None:
    assert found(normalised_axis=None) == []


@pytest.mark.parametrize("function", ["cross_entropy", "kl_div", "mse_loss"])
def test_other_losses_are_not_judged(function: str) -> None:
    assert found(function=function) == []


@pytest.mark.parametrize("made_by", [None, "softmax"])
def test_other_makers_are_not_judged(made_by: str | None) -> None:
    assert found(made_by=made_by) == []


def test_unknown_sums_are_not_judged() -> None:
    assert found(class_logsum_error=None) == []


@pytest.mark.parametrize(("error", "times"), [(0.049, 0), (0.05, 0), (0.051, 1), (0.099, 1)])
def test_each_side_of_logsum_error(error: float, times: int) -> None:
    assert len(found(class_logsum_error=error)) == times


@pytest.mark.parametrize(("calls", "times"), [(1, 0), (2, 1), (3, 1)])
def test_each_side_of_calls(calls: int, times: int) -> None:
    assert len(found(calls=calls)) == times
