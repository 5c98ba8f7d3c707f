"""A number is told for what it is by what was measured in the same evaluation."""

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from firstlight.experiments.inside.measured import MeasuredLosses
from firstlight.experiments.inside.metrics import follow
from firstlight.experiments.inside.selecting import measures
from firstlight.experiments.inside.shortening.comparisons import Comparison
from firstlight.experiments.inside.tracked import Numbers
from firstlight.observe.inside.taps.models import Call

SCORES = [torch.tensor([[2.0, 1.0], [0.0, 1.0]]), torch.tensor([[0.0, 3.0]])]
WANTED = [torch.tensor([0, 0]), torch.tensor([1])]


class Seen:
    """As much of an observer as is asked."""

    reading = False
    step = 1

    def shielded(self, _tap: str, function: Any) -> Any:
        return function


@pytest.fixture
def measured() -> Iterator[MeasuredLosses]:
    observer: Any = Seen()
    found = MeasuredLosses(observer)
    yield found
    found.training_goes_on()


def evaluate(measured: MeasuredLosses, model: torch.nn.Module, batches: int = 2) -> list[float]:
    """The losses of the first batches, of which two answers of three are right."""
    losses = []
    for scores, wanted in list(zip(SCORES, WANTED, strict=True))[:batches]:
        call = Call(model, (), {}, [], None, training=False)
        measured.returned(call)
        losses.append(F.cross_entropy(scores, wanted).item())
        assert (scores.argmax(1) == wanted).any()
    return losses


def test_means_and_sums_have_their_names(measured: MeasuredLosses) -> None:
    losses = evaluate(measured, torch.nn.Linear(1, 1))

    assert measured.names(sum(losses) / 2) == {"loss"}
    assert measured.names((2 * losses[0] + losses[1]) / 3) == {"loss"}
    assert measured.names(-sum(losses)) == {"loss, negated"}
    assert measured.names(2 / 3) == measured.names(200 / 3) == measured.names(0.75) == {"accuracy"}
    assert measured.names(1 / 3) == {"error rate"}
    assert measured.names(0.123) == frozenset()


def test_evaluations_of_another_model_or_on_another_line_are_told_apart(measured: MeasuredLosses) -> None:
    model = torch.nn.Linear(1, 1)
    losses = evaluate(measured, model)
    other = evaluate(measured, torch.nn.Linear(1, 1), batches=1)
    again = evaluate(measured, model, batches=1)

    assert measured.names(sum(losses) / 2) == {"loss"}
    assert measured.names(2 / 3) == {"accuracy"}
    assert other == again == losses[:1]
    assert measured.names((sum(losses) + 2 * losses[0]) / 4) == frozenset()


def test_training_ends_an_evaluation(measured: MeasuredLosses) -> None:
    evaluate(measured, torch.nn.Linear(1, 1))
    measured.training_goes_on()

    assert measured.names(2 / 3) == frozenset()


def test_numpy_is_heard_too(measured: MeasuredLosses) -> None:
    evaluate(measured, torch.nn.Linear(1, 1))
    answers, wanted = np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 0.0])
    measured.arrays("eq", answers, wanted, answers == wanted)
    measured.arrays("sub", answers, wanted, answers - wanted)

    assert "accuracy" in measured.names(1 / 3)
    assert measured.names(17 / 3) == measured.names(5 / 3) == {"loss"}


def test_a_difference_of_tensors_is_a_loss(measured: MeasuredLosses) -> None:
    evaluate(measured, torch.nn.Linear(1, 1))
    apart = torch.tensor([1.0, 2.0, 4.0]) - torch.tensor([1.0, 3.0, 0.0])

    assert measured.names(apart.square().mean().item()) == {"loss"}


def test_a_library_says_which_way_its_metric_runs(measured: MeasuredLosses) -> None:
    numbers = Numbers()
    follow(measured, numbers)
    from sklearn.metrics import f1_score, mean_absolute_error

    f1_score([0, 1, 1, 0, 1], [1, 1, 1, 0, 0])
    evaluate(measured, torch.nn.Linear(1, 1))
    score, error = f1_score([0, 1, 1, 0, 1], [1, 1, 1, 0, 0]), mean_absolute_error([1.0, 2.0], [1.5, 2.3])

    assert measured.names(score) >= {"score"}
    assert measured.names(error) == {"loss"}
    assert not isinstance(pickle.loads(pickle.dumps(f1_score)), type(f1_score))  # a worker gets the function itself
    assert numbers.seen()["mean_absolute_error"] == pytest.approx([0.4])


@pytest.mark.parametrize(
    ("met", "known", "what"),
    [
        ([0.5, 0.6], [{"accuracy", "loss"}, {"accuracy"}], "accuracy"),
        ([0.5, 0.5], [{"accuracy"}, {"accuracy"}], ""),
        ([0.5], [{"accuracy"}], ""),
        ([0.5, 0.6], [{"accuracy"}, set()], ""),
        ([0.5, 0.6], [{"accuracy", "loss"}, {"accuracy", "loss"}], ""),
        ([0.5, 0.6], [{"accuracy", "score"}, {"accuracy", "score"}], "accuracy"),
        ([0.5, 0.6], [{"score"}, {"score"}], "score"),
    ],
)
def test_only_what_it_was_every_time_is_told(met: list[float], known: list[set[str]], what: str) -> None:
    one = Comparison("train.py", 3, "q", "best", max, True, True, True, met=met, known=[frozenset(k) for k in known])

    assert measures(one) == what


class Doubled(torch.overrides.TorchFunctionMode):
    """One of the program's own."""


def test_a_mode_that_the_program_began_since_is_left_alone(measured: MeasuredLosses) -> None:
    model = torch.nn.Linear(1, 1)
    call = Call(model, (), {}, [], None, training=False)
    measured.returned(call)
    with Doubled():
        measured.training_goes_on()
        inside = torch._C._len_torch_function_stack()
    measured.training_goes_on()

    assert (inside, torch._C._len_torch_function_stack()) == (2, 0)
