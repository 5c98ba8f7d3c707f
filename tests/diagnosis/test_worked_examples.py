"""Illnesses of one small classifier, by the signs they were measured to show, and the cause that must come first."""

import time

import pytest

from firstlight.diagnosis.answer import answer
from firstlight.diagnosis.case import Case
from firstlight.diagnosis.choose import Limits, choose
from firstlight.diagnosis.engine import weigh
from firstlight.diagnosis.knowledge.catalogue import KNOWLEDGE

EXAMPLES = {
    "double softmax": (
        "init-loss-as-expected init-gradient-far-too-small one-batch-loss-plateaus loss-falls-slowly",
        "gradients-missing noise-inputs-learn-as-well",
        "loss-double-activation",
    ),
    "double softmax, floor reached": ("plateau-at-double-activation-floor", "", "loss-double-activation"),
    "softmax over the batch": (
        "init-gradient-far-too-small rows-depend-on-other-rows loss-flat-from-start",
        "gradients-missing",
        "loss-dim",
    ),
    "sign flipped": ("loss-negative loss-rises-from-start one-batch-loss-rises", "overfits-one-batch", "loss-sign"),
    "random labels": (
        "init-loss-as-expected overfits-one-batch plateau-at-constant-predictor permuted-targets-learn-as-well",
        "gradients-missing features-constant noise-inputs-learn-as-well predictions-constant",
        "data-label-misaligned",
    ),
    "inputs zero": (
        "plateau-at-constant-predictor noise-inputs-learn-as-well features-constant",
        "gradients-missing",
        "data-degenerate",
    ),
    "raw pixels": ("init-loss-far-above-chance gradients-explode inputs-not-normalised", "", "data-scale"),
    "rate a thousandth": (
        "init-loss-as-expected loss-flat-from-start update-ratio-too-low lr-tenfold-cures",
        "gradients-missing parameters-unchanged-by-step clipped-on-every-step",
        "hp-lr-low",
    ),
    "rate a thousandfold": (
        "init-loss-as-expected loss-falls-then-explodes update-ratio-too-high lr-tenth-cures",
        "gradient-norm-grows-every-step inputs-not-normalised",
        "hp-lr-high",
    ),
    "decay of ten": (
        "init-loss-as-expected plateau-at-constant-predictor no-regularisation-cures",
        "gradients-missing",
        "hp-regularisation",
    ),
    "labels shifted by one": (
        "loss-falls-steadily overfits-one-batch validation-below-chance loss-falls-metric-does-not",
        "plateau-at-constant-predictor",
        "data-label-range",
    ),
    "logits into NLL": (
        "loss-negative init-loss-far-below-chance loss-falls-steadily",
        "loss-rises-from-start one-batch-loss-rises",
        "loss-missing-activation",
    ),
    "gradients never cleared": (
        "init-loss-as-expected loss-falls-then-explodes gradient-norm-grows-every-step reference-optimizer-cures",
        "inputs-not-normalised",
        "train-no-zero-grad",
    ),
    "clipped to nothing": (
        "loss-flat-from-start clipped-on-every-step update-ratio-too-low",
        "gradients-missing lr-tenfold-cures",
        "hp-clip",
    ),
    "half precision": ("nonfinite-later loss-scale-collapses fp32-cures", "lr-tenth-cures", "num-precision"),
    "evaluated in training mode": (
        "loss-falls-steadily eval-differs-from-train-on-same-data same-batch-gives-different-outputs",
        "",
        "train-mode",
    ),
    "sorted data": ("batches-hold-one-label loss-repeats-each-epoch loss-oscillates", "", "data-not-shuffled"),
}


def seen(present: str, absent: str) -> Case:
    return Case().observing({**dict.fromkeys(present.split(), True), **dict.fromkeys(absent.split(), False)})


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_illness_comes_first(name: str) -> None:
    present, absent, cause = EXAMPLES[name]
    assert weigh(KNOWLEDGE, seen(present, absent)).ranked[0] == cause


def test_a_wrong_backward_comes_first_where_one_was_written() -> None:
    case = seen("gradient-disagrees-with-differences", "gradients-missing")
    assert weigh(KNOWLEDGE, case.given("custom-backward")).ranked[0] == "loss-gradient"
    assert weigh(KNOWLEDGE, case).ranked[0] == "loss-detached"


HEALTHY = seen(
    "init-loss-as-expected loss-falls-steadily overfits-one-batch",
    "noise-inputs-learn-as-well permuted-targets-learn-as-well loss-flat-from-start loss-rises-from-start "
    "loss-falls-then-explodes nonfinite-at-start nonfinite-later loss-negative gradients-missing "
    "eval-differs-from-train-on-same-data validation-far-better-than-training",
)


def test_a_healthy_run_is_called_healthy_first() -> None:
    suspects = answer(KNOWLEDGE, HEALTHY)
    assert suspects[0].category == "null"
    assert suspects[0].probability > 4 * max(one.probability for one in suspects[1:] if one.category != "unknown")


def best(call: object, times: int = 7) -> float:
    assert callable(call)
    spent = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        spent.append(time.perf_counter() - start)
    return min(spent)


def test_weighing_and_choosing_cost_nothing_against_an_experiment() -> None:
    limits = Limits(handles=frozenset({"model", "batch", "loss", "optimizer"}), baseline_seconds=5.0, seconds_left=60.0)
    assert best(lambda: weigh(KNOWLEDGE, HEALTHY)) < 0.003
    assert best(lambda: choose(KNOWLEDGE, HEALTHY, limits)) < 0.02
