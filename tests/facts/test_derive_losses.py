"""Loss calls and shapes: from sightings built by hand to the facts that are judged."""

from typing import Any, TypeVar

import pytest
from msgspec.structs import replace

from firstlight.facts.derive import derive
from firstlight.facts.losses import loss_terms
from firstlight.facts.sightings import Sightings
from firstlight.records import facts
from firstlight.records.places import Site
from firstlight.records.sighting import Sighting, TensorCard
from firstlight.records.training import BackwardSeen, LossCall, Pairing

T = TypeVar("T")
TRAIN = Site(file="train.py", line=20)
OTHER = Site(file="train.py", line=40)
SCORES = TensorCard(shape=(8, 3), dtype="float32", low=-1.0, high=1.0, mean=0.0, std=1.0)
LABELS = TensorCard(shape=(8,), dtype="int64", low=0.0, high=2.0)
LOSS_CALL = LossCall(
    step=0,
    function="cross_entropy",
    site=TRAIN,
    training=True,
    prediction=SCORES,
    target=LABELS,
    value=1.1,
    made_by=None,
)


def only(kind: type[T], *records: Sighting) -> T:
    (fact,) = all_of(kind, *records)
    return fact


def all_of(kind: type[T], *records: Sighting) -> list[T]:
    return [fact for fact in derive(records) if isinstance(fact, kind)]


def loss_call(**changes: Any) -> LossCall:
    return replace(LOSS_CALL, **changes)


def back(value: float, **changes: Any) -> BackwardSeen:
    return replace(BackwardSeen(step=0, site=TRAIN, value=value, connected=True), **changes)


class TestLossSite:
    def test_the_longest_class_axis_counts(self) -> None:
        one, none = replace(SCORES, shape=(8, 1)), replace(SCORES, shape=(8,))

        assert only(facts.LossSite, loss_call(prediction=one), loss_call()).most_classes == 3
        assert only(facts.LossSite, loss_call(prediction=one), loss_call(prediction=one)).most_classes == 1
        assert only(facts.LossSite, loss_call(prediction=none)).most_classes is None

    def test_calls_are_grouped_by_function_and_line(self) -> None:
        sites = all_of(
            facts.LossSite,
            loss_call(),
            loss_call(site=OTHER),
            loss_call(function="nll_loss"),
            loss_call(step=1),
        )

        assert [(site.function, site.site, site.calls) for site in sites] == [
            ("cross_entropy", TRAIN, 2),
            ("cross_entropy", OTHER, 1),
            ("nll_loss", TRAIN, 1),
        ]

    def test_evaluation_is_not_training(self) -> None:
        assert all_of(facts.LossSite, loss_call(training=False)) == []

    def test_a_sum_that_is_divided_by_its_examples_is_a_mean(self) -> None:
        summed = loss_call(reduction="sum", value=8.8)

        by_all = only(facts.LossSite, summed, back(1.1), replace(summed, step=1, value=8.0), back(1.0, step=1))
        by_more = only(facts.LossSite, summed, replace(summed, value=8.0), back(0.55), back(0.5))
        scaled = only(facts.LossSite, summed, back(1.1 * 1024, scale=1024.0))

        assert {site.reduction for site in (by_all, by_more, scaled)} == {"mean"}
        assert by_all.first_value == pytest.approx(1.05)
        assert by_more.first_value == pytest.approx(0.525)
        assert scaled.first_value == pytest.approx(1.1)

    @pytest.mark.parametrize(
        ("value", "what"),
        [
            (8.8, "the sum itself"),
            (2.2 * 8.8, "a multiple"),
            (8.8 / 3, "by fewer than half"),
            (8.8 / 7.5, "other terms beside it"),
            (0.0, "nothing"),
            (float("nan"), "no number"),
        ],
    )
    def test_other_sums_stay_sums(self, value: float, what: str) -> None:
        site = only(facts.LossSite, loss_call(reduction="sum", value=8.8), back(value))

        assert (site.reduction, site.first_value) == ("sum", None), what

    @pytest.mark.parametrize(("ignored", "reduction"), [(0.0, "sum"), (0.5, "mean")])
    def test_examples_that_are_ignored_are_not_counted(self, ignored: float, reduction: str) -> None:
        summed = loss_call(reduction="sum", value=9.0, ignored=ignored)

        assert only(facts.LossSite, summed, back(3.0)).reduction == reduction

    def test_ranges_are_those_of_all_calls(self) -> None:
        wide = TensorCard(shape=(4, 3), dtype="float32", low=-5.0, high=0.5, mean=-2.0, std=3.0, nonfinite=2)

        site = only(facts.LossSite, loss_call(), loss_call(prediction=wide))

        assert site.prediction == TensorCard(
            shape=(8, 3), dtype="float32", low=-5.0, high=1.0, mean=-1.0, std=2.0, nonfinite=2
        )

    def test_errors_are_the_largest_and_unknown_ones_do_not_count(self) -> None:
        site = only(
            facts.LossSite,
            loss_call(class_sum_error=0.1, ignored=0.2),
            loss_call(class_sum_error=0.7, ignored=0.9),
            loss_call(class_sum_error=None, ignored=0.5),
        )

        assert site.class_sum_error == 0.7
        assert site.class_logsum_error is None
        assert (site.least_ignored, site.most_ignored) == (0.2, 0.9)

    def test_the_activation_counts_only_if_it_was_always_the_same(self) -> None:
        softmax, plain = loss_call(made_by="softmax", made_at=OTHER), loss_call(made_by=None)

        assert only(facts.LossSite, softmax, softmax).made_by == "softmax"
        assert only(facts.LossSite, softmax, softmax).made_at == OTHER
        assert only(facts.LossSite, softmax, plain).made_by is None

    def test_labels_are_kept_call_by_call(self) -> None:
        second = TensorCard(shape=(5,), dtype="int64", low=1.0, high=1.0)

        site = only(facts.LossSite, loss_call(), loss_call(step=25, target=second))

        assert site.labels == (
            facts.Labels(step=0, examples=8, low=0.0, high=2.0),
            facts.Labels(step=25, examples=5, low=1.0, high=1.0),
        )

    def test_two_calls_a_step_have_no_order_of_labels(self) -> None:
        assert only(facts.LossSite, loss_call(), loss_call()).labels == ()

    @pytest.mark.parametrize(
        "changes",
        [
            {"target": TensorCard(shape=(8, 4, 4), dtype="int64", high=2.0)},
            {"target": TensorCard(shape=(8, 3), dtype="float32", high=1.0)},
            {"target": TensorCard(shape=(), dtype="int64")},
            {"target": None},
            {"ignored": 0.1},
            {"function": "mse_loss"},
            {"prediction": TensorCard(shape=(3,), dtype="float32")},
        ],
        ids=["pixels", "probabilities", "one", "none", "ignored", "regression", "unbatched"],
    )
    def test_only_one_class_an_example_is_a_label(self, changes: dict[str, Any]) -> None:
        assert only(facts.LossSite, loss_call(**changes)).labels == ()

    @pytest.mark.parametrize(
        ("shape", "high", "count"),
        [((8,), 1.0, 1), ((8, 1), 1.0, 1), ((8, 3), 1.0, 0), ((8,), 0.9, 0)],
        ids=["row", "column", "tags", "smoothed"],
    )
    def test_of_two_classes(self, shape: tuple[int, ...], high: float, count: int) -> None:
        target = TensorCard(shape=shape, dtype="float32", low=0.0, high=high)

        site = only(facts.LossSite, loss_call(function="binary_cross_entropy_with_logits", target=target))

        assert len(site.labels) == count

    def test_a_loss_without_a_target(self) -> None:
        assert only(facts.LossSite, loss_call(target=None)).target is None


class TestShapeClash:
    @staticmethod
    def mse(left: tuple[int, ...], right: tuple[int, ...], **changes: Any) -> LossCall:
        return loss_call(
            function="mse_loss",
            prediction=TensorCard(shape=left, dtype="float32"),
            target=TensorCard(shape=right, dtype="float32"),
            **changes,
        )

    def test_column_against_row(self) -> None:
        clash = only(facts.ShapeClash, self.mse((8, 1), (8,), step=2), self.mse((8, 1), (8,), step=3))

        assert (clash.left, clash.right, clash.result) == ((8, 1), (8,), (8, 8))
        assert (clash.in_loss, clash.times, clash.first_step) == (True, 2, 2)

    @pytest.mark.parametrize(
        ("left", "right"),
        [((8,), (8,)), ((8, 1), (8, 1)), ((8, 3), (3,)), ((8, 3), (1,)), ((1, 8), (8,)), ((1, 1), (1,))],
        ids=["equal", "columns", "row of weights", "scalar", "one batch", "one example"],
    )
    def test_shapes_whose_result_is_no_larger_do_not_clash(self, left: tuple[int, ...], right: tuple[int, ...]) -> None:
        assert all_of(facts.ShapeClash, self.mse(left, right)) == []

    def test_only_the_clashing_calls_count(self) -> None:
        clash = only(facts.ShapeClash, self.mse((8, 1), (8, 1)), self.mse((7, 1), (7,), step=4))

        assert (clash.left, clash.times, clash.first_step) == ((7, 1), 1, 4)

    def test_a_clash_in_evaluation_is_a_measurement(self) -> None:
        assert not only(facts.ShapeClash, self.mse((8, 1), (8,), training=False)).in_loss

    def test_losses_that_pair_by_design_are_passed_over(self) -> None:
        assert all_of(facts.ShapeClash, loss_call(prediction=SCORES, target=LABELS)) == []

    def test_pairings_are_grouped_by_operation_and_line(self) -> None:
        shapes: dict[str, Any] = {"left": (8,), "right": (8, 1), "result": (8, 8)}
        records = [
            Pairing(step=5, operation="sub", site=TRAIN, differentiable=True, **shapes),
            Pairing(step=6, operation="sub", site=TRAIN, differentiable=True, **shapes),
            Pairing(step=6, operation="eq", site=OTHER, differentiable=False, **shapes),
        ]

        found = all_of(facts.ShapeClash, *records)

        assert [(clash.operation, clash.in_loss, clash.times, clash.first_step) for clash in found] == [
            ("sub", True, 2, 5),
            ("eq", False, 1, 6),
        ]


def summed(step: int, *values: float, total: float | None = None) -> list[Sighting]:
    """A step whose losses stand on lines of their own, and the backward on their sum."""
    card = TensorCard(shape=(8, 3), dtype="float32")
    calls: list[Sighting] = [
        LossCall(
            step=step,
            function="mse_loss",
            site=Site(file="train.py", line=place),
            training=True,
            prediction=card,
            target=card,
            value=value,
            made_by=None,
        )
        for place, value in enumerate(values)
    ]
    value = sum(values) if total is None else total
    return [*calls, BackwardSeen(step=step, site=Site(file="train.py", line=9), value=value, connected=True)]


def terms(*steps: list[Sighting]) -> list[facts.LossTerms]:
    return list(loss_terms(Sightings(record for step in steps for record in step)))


def test_the_terms_of_a_plain_sum_smallest_first() -> None:
    (found,) = terms(summed(0, 900.0, 2.0), summed(1, 1000.0, 1.0), summed(2, 1100.0, 3.0))

    assert found.values == (2.0, 1000.0)
    assert found.names == ("`mse_loss` at train.py:1", "`mse_loss` at train.py:0")
    assert found.steps == 3


def test_a_weighted_sum_has_no_terms() -> None:
    assert terms(*[summed(step, 900.0, 2.0, total=2.9) for step in range(5)]) == []


def test_one_loss_is_no_sum_and_two_steps_are_too_few() -> None:
    assert terms(*[summed(step, 900.0) for step in range(5)]) == []
    assert terms(*[summed(step, 900.0, 2.0) for step in range(2)]) == []
