"""A number is told for what it is by what was measured in the same evaluation."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch.nn import functional as F

from firstlight.experiments.inside.measured import MeasuredLosses
from firstlight.experiments.inside.selecting import measures
from firstlight.experiments.inside.shortening.comparisons import Comparison

SCORES = [torch.tensor([[2.0, 1.0], [0.0, 1.0]]), torch.tensor([[0.0, 3.0]])]
WANTED = [torch.tensor([0, 0]), torch.tensor([1])]


class Seen:
    """As much of an observer as is asked."""

    reading = False
    step = 1

    def shielded(self, _tap: str, function: Any) -> Any:
        return function


def evaluated(monkeypatch: pytest.MonkeyPatch) -> tuple[MeasuredLosses, float, list[float]]:
    """Heard from the first call of the model on, and let go of at the end of the evaluation."""
    observer: Any = Seen()
    measured = MeasuredLosses(observer)
    call: Any = SimpleNamespace(training=False, module=torch.nn.Linear(1, 1))
    measured.returned(call)
    try:
        losses = [F.cross_entropy(scores, wanted).item() for scores, wanted in zip(SCORES, WANTED, strict=True)]
        right = sum((s.argmax(1) == w).sum().item() for s, w in zip(SCORES, WANTED, strict=True))
        return measured, float(right), losses
    finally:
        monkeypatch.setattr(measured, "_losses", list(measured._losses))
        monkeypatch.setattr(measured, "_right", list(measured._right))
        measured.__exit__(None, None, None)  # type: ignore[no-untyped-call]
        measured._on = False


def test_means_and_sums_have_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    measured, right, losses = evaluated(monkeypatch)

    assert right == 2
    assert measured.names(sum(losses) / 2) == {"loss"}
    assert measured.names((2 * losses[0] + losses[1]) / 3) == {"loss"}
    assert measured.names(-sum(losses)) == {"loss, negated"}
    assert measured.names(2 / 3) == measured.names(200 / 3) == measured.names(0.75) == {"accuracy"}
    assert measured.names(1 / 3) == {"error rate"}
    assert measured.names(0.123) == frozenset()


def test_training_ends_an_evaluation(monkeypatch: pytest.MonkeyPatch) -> None:
    measured, _, _ = evaluated(monkeypatch)
    measured.training_goes_on()

    assert measured.names(2 / 3) == frozenset()


@pytest.mark.parametrize(
    ("met", "known", "what"),
    [
        ([0.5, 0.6], [{"accuracy", "loss"}, {"accuracy"}], "accuracy"),
        ([0.5, 0.5], [{"accuracy"}, {"accuracy"}], ""),
        ([0.5], [{"accuracy"}], ""),
        ([0.5, 0.6], [{"accuracy"}, set()], ""),
        ([0.5, 0.6], [{"accuracy", "loss"}, {"accuracy", "loss"}], ""),
    ],
)
def test_only_what_it_was_every_time_is_told(met: list[float], known: list[set[str]], what: str) -> None:
    one = Comparison("train.py", 3, "q", "best", max, True, True, True, met=met, known=[frozenset(k) for k in known])

    assert measures(one) == what
