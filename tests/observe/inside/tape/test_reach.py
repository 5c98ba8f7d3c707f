"""The last activation before the answers, for losses of any form: what it keeps out of reach is found by trying."""

import math
from collections.abc import Callable

import pytest
import torch
from tests.observe.inside.tape.tapes import taped
from torch import nn
from torch.nn import functional as F

from firstlight.observe.inside.tape.reach import best_guess, left_when_sure, lowest_free, reaches
from firstlight.observe.inside.tape.tail import tail_of
from firstlight.records.taped import GuessSeen, ReachSeen

Loss = Callable[[torch.Tensor], torch.Tensor]
CLASSES = torch.arange(32) % 4
CENTRED = torch.linspace(-2, 2, 32).unsqueeze(1)


ONE_HOT = F.one_hot(CLASSES, 4).float()
SOFT = 0.94 * ONE_HOT + 0.015
TAGS = (CENTRED > 0.5).float()


OLD = 0.1 * torch.sin(torch.arange(32.0)).unsqueeze(1)


def clipped(values: torch.Tensor, kept_raw: bool) -> torch.Tensor:
    """The loss of values that may move by a fifth, and, as PPO has it, the worse of this and the plain one."""
    near = (OLD + (values.view(-1, 1) - OLD).clamp(-0.2, 0.2) - 3 - CENTRED) ** 2
    return torch.max(near, (values.view(-1, 1) - 3 - CENTRED) ** 2).mean() if kept_raw else near.mean()


def log_p(scores: torch.Tensor) -> torch.Tensor:
    shifted = scores - scores.max(dim=1, keepdim=True).values
    return shifted - shifted.exp().sum(dim=1, keepdim=True).log()


def by_soft_targets(scores: torch.Tensor) -> torch.Tensor:
    return -(SOFT * log_p(scores)).sum(dim=1).mean()


def binary(p: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return -(y * p.log() + (1 - y) * (1 - p).log()).mean()


def reached(loss: Loss, outputs: int) -> ReachSeen | None:
    torch.manual_seed(0)
    with taped() as recorder:
        value = loss(nn.Linear(3, outputs)(torch.randn(32, 3)))
    tail = tail_of(recorder, value)
    assert tail is not None
    found = list(reaches(tail))
    assert torch.equal(tail.loss, value)
    return max(found, key=kept, default=None)


def kept(found: ReachSeen) -> float:
    """Share of what the loss could lose that stays out of reach."""
    return (found.bound - found.free) / (found.loss - found.free) if found.free < found.loss else 0.0


@pytest.mark.parametrize(
    ("loss", "outputs"),
    [
        pytest.param(lambda z: ((torch.relu(z) - CENTRED) ** 2).mean(), 1, id="relu-by-hand"),
        pytest.param(lambda z: F.mse_loss(torch.sigmoid(z), 5 + CENTRED), 1, id="sigmoid-regression"),
        pytest.param(lambda z: (z.tanh().squeeze(1) - 40 * CENTRED.squeeze(1)).abs().mean(), 1, id="tanh-raw-targets"),
        pytest.param(lambda z: clipped(z.squeeze(1), False), 1, id="clipped-values"),
        pytest.param(lambda z: F.mse_loss(z.relu(), CENTRED) + 0.01 * z.square().mean(), 1, id="relu-beside-a-penalty"),
        pytest.param(
            lambda z: F.mse_loss((z - 1).relu(), CENTRED) + 0.01 * z.square().mean(), 1, id="relu-after-a-penalty"
        ),
        pytest.param(lambda z: F.cross_entropy(z.softmax(1), CLASSES), 4, id="softmax-twice"),
        pytest.param(lambda z: -z.softmax(1).log_softmax(1).gather(1, CLASSES[:, None]).mean(), 4, id="twice-by-hand"),
        pytest.param(lambda z: F.cross_entropy(torch.sigmoid(z), CLASSES), 4, id="sigmoid-scores"),
        pytest.param(lambda z: by_soft_targets(z.softmax(1)), 4, id="soft-targets-by-hand"),
        pytest.param(lambda z: -log_p(z.softmax(1)).gather(1, CLASSES[:, None]).mean(), 4, id="gathered-by-hand"),
        pytest.param(lambda z: -(log_p(z.softmax(1)) * ONE_HOT).sum(1).mean(), 4, id="coded-by-hand"),
        pytest.param(lambda z: (SOFT * (SOFT.log() - log_p(z.softmax(1)))).sum(1).mean(), 4, id="divergence-by-hand"),
        pytest.param(lambda z: binary(torch.sigmoid(torch.sigmoid(z)), TAGS), 1, id="sigmoid-twice-by-hand"),
        pytest.param(lambda z: binary(1 / (1 + torch.exp(-torch.sigmoid(z))), TAGS), 1, id="sigmoid-written-out"),
    ],
)
def test_what_an_activation_keeps_out_of_reach_is_seen(loss: Loss, outputs: int) -> None:
    found = reached(loss, outputs)
    assert found is not None
    assert kept(found) > 0.4


@pytest.mark.parametrize(
    ("loss", "outputs"),
    [
        pytest.param(lambda z: ((torch.relu(z) - CENTRED.abs()) ** 2).mean(), 1, id="relu-positive-targets"),
        pytest.param(lambda z: F.mse_loss(torch.sigmoid(z), (CENTRED + 2) / 4), 1, id="sigmoid-in-range"),
        pytest.param(lambda z: F.mse_loss(z.tanh(), 0.6 * CENTRED), 1, id="tanh-a-little-beyond"),
        pytest.param(lambda z: F.cross_entropy(F.softplus(z) / 0.5, CLASSES), 4, id="temperature"),
        pytest.param(lambda z: by_soft_targets(F.softplus(z)), 4, id="soft-targets-of-scores"),
        pytest.param(lambda z: by_soft_targets(z.log_softmax(1)), 4, id="log-softmax-by-hand-again"),
        pytest.param(lambda z: F.cross_entropy(F.leaky_relu(z), CLASSES), 4, id="leaky-scores"),
        pytest.param(lambda z: F.cross_entropy(z.log_softmax(1), CLASSES), 4, id="log-softmax-twice-is-once"),
        pytest.param(lambda z: ((z.softmax(1) - F.one_hot(CLASSES, 4)) ** 2).mean(), 4, id="brier"),
        pytest.param(lambda z: F.mse_loss(F.softplus(z) * 100, 100 * CENTRED.abs()), 1, id="scaled-afterwards"),
        pytest.param(lambda z: clipped(z.squeeze(1), True), 1, id="clipped-values-or-not"),
        pytest.param(
            lambda z: F.mse_loss((z - 1).relu(), CENTRED) * F.mse_loss(z, CENTRED), 1, id="relu-that-is-gone-around"
        ),
    ],
)
def test_what_can_be_reached_is_reached(loss: Loss, outputs: int) -> None:
    found = reached(loss, outputs)
    assert found is not None
    assert kept(found) < 0.2


@pytest.mark.parametrize(
    "loss",
    [
        pytest.param(lambda z: F.nll_loss(z.log_softmax(1), CLASSES), id="without-lower-end"),
        pytest.param(
            lambda z: F.binary_cross_entropy(z.sigmoid(), F.one_hot(CLASSES, 4).float()), id="forbidden-values"
        ),
        pytest.param(lambda z: F.cross_entropy(z, CLASSES), id="no-activation"),
        pytest.param(
            lambda z: -(SOFT * z.softmax(1).clamp(1e-5, 1 - 1e-5).log()).sum(1).mean(), id="shares-of-a-whole"
        ),
        pytest.param(lambda z: -(z.softmax(1).clamp(max=1) * (SOFT > 0.5)).sum(1).mean(), id="right-as-often"),
    ],
)
def test_where_nothing_can_be_said_nothing_is(loss: Loss) -> None:
    assert reached(loss, 4) is None


def free(loss: Loss, outputs: int) -> float | None:
    torch.manual_seed(0)
    with taped() as recorder:
        value = loss(nn.Linear(3, outputs)(torch.randn(32, 3)))
    tail = tail_of(recorder, value)
    assert tail is not None
    return lowest_free(tail)


@pytest.mark.parametrize(
    ("loss", "outputs", "floor"),
    [
        pytest.param(lambda z: F.mse_loss(z, CENTRED), 1, 0.0, id="targets-met"),
        pytest.param(lambda z: F.cross_entropy(z, CLASSES, label_smoothing=0.2), 4, 0.588, id="smoothed-labels"),
        pytest.param(lambda z: ((z - CENTRED) ** 2).mean() + 0.25, 1, 0.25, id="a-constant-term"),
    ],
)
def test_how_low_the_answers_let_the_loss_get(loss: Loss, outputs: int, floor: float) -> None:
    assert free(loss, outputs) == pytest.approx(floor, abs=0.02)


def test_predictions_that_meet_answers_at_several_places_are_left() -> None:
    assert free(lambda z: F.mse_loss(z[:, :1], CENTRED) + F.mse_loss(z[:, 1:], CENTRED), 2) is None


def guessed(loss: Loss, outputs: int, examples: int = 32) -> GuessSeen | None:
    torch.manual_seed(0)
    with taped() as recorder:
        value = loss(nn.Linear(3, outputs)(torch.randn(examples, 3)))
    tail = tail_of(recorder, value)
    assert tail is not None
    return best_guess(tail)


@pytest.mark.parametrize(
    ("loss", "outputs", "best"),
    [
        pytest.param(lambda z: F.cross_entropy(50 * z, CLASSES), 4, math.log(4), id="classes"),
        pytest.param(lambda z: -(F.one_hot(CLASSES) * (9 * z).log_softmax(1)).sum(1).mean(), 4, math.log(4), id="own"),
        pytest.param(lambda z: ((z - 7 - CENTRED) ** 2).mean(), 1, float(CENTRED.var(correction=0)), id="regression"),
        pytest.param(
            lambda z: F.binary_cross_entropy_with_logits(z, (CENTRED > 0).float()), 1, math.log(2), id="yes-or-no"
        ),
    ],
)
def test_a_guess_is_the_best_of_outputs_that_are_one_for_all(loss: Loss, outputs: int, best: float) -> None:
    found = guessed(loss, outputs)
    assert found is not None
    assert found.guess == pytest.approx(best, rel=0.05)


def test_outputs_that_are_too_large_are_better_a_tenth_as_large() -> None:
    large = guessed(lambda z: F.cross_entropy(50 * z, CLASSES), 4)
    far = guessed(lambda z: F.mse_loss(z, 100 + CENTRED), 1)
    assert large is not None
    assert far is not None
    assert large.tenth < 5 * large.guess
    assert far.tenth > 1000 * far.guess


def test_few_examples_are_not_guessed() -> None:
    assert guessed(lambda z: F.cross_entropy(z, CLASSES[:8]), 4, examples=8) is not None
    assert guessed(lambda z: F.cross_entropy(z, CLASSES[:7]), 4, examples=7) is None


def test_a_loss_without_a_lower_end_has_no_guess() -> None:
    assert guessed(lambda z: (z * CENTRED.abs()).mean(), 1) is None


def test_differences_between_outputs_are_not_free() -> None:
    better = (CENTRED > CENTRED.T).float()
    assert guessed(lambda z: (better * F.softplus(z.T - z)).mean(), 1) is None


def test_an_output_added_to_what_was_fed_is_guessed() -> None:
    found = guessed(lambda z: F.mse_loss(CENTRED - z, torch.zeros(32, 1)), 1)
    assert found is not None
    assert found.guess == pytest.approx(float(CENTRED.var(correction=0)), rel=0.05)


MIXED_UP = 0.7 * torch.eye(4) + 0.3 / 4
"""How often each class is taken for each other one."""


@pytest.mark.parametrize(
    ("loss", "left"),
    [
        pytest.param(lambda z: F.cross_entropy(z, CLASSES), 0.0, id="classes-as-given"),
        pytest.param(lambda z: F.nll_loss(z.log_softmax(1), CLASSES), 0.0, id="likelihood"),
        pytest.param(lambda z: F.nll_loss((z.softmax(1) + 1e-9).log(), CLASSES), 0.0, id="probabilities"),
        pytest.param(lambda z: F.cross_entropy(z, CLASSES, label_smoothing=0.2), 4.8, id="smoothed"),
        pytest.param(lambda z: F.nll_loss((z.softmax(1) @ MIXED_UP).log(), CLASSES), 0.25, id="mixed-up"),
        pytest.param(
            lambda z: -(z.softmax(1) @ MIXED_UP).gather(1, CLASSES[:, None]).clamp_min(1e-8).log().mean(),
            0.25,
            id="mixed-up-and-gathered",
        ),
        pytest.param(lambda z: F.mse_loss(z[:, :1], CENTRED), None, id="values"),
    ],
)
def test_a_loss_that_reckons_with_wrong_classes_leaves_something_to_who_is_sure_of_them(
    loss: Loss, left: float | None
) -> None:
    torch.manual_seed(0)
    with taped() as recorder:
        value = loss(nn.Linear(3, 4)(torch.randn(32, 3)))
    tail = tail_of(recorder, value)
    assert tail is not None
    assert left_when_sure(tail) == (None if left is None else pytest.approx(left, abs=0.01))


def test_so_does_one_that_keeps_in_a_buffer_how_often_classes_are_taken_for_others() -> None:
    with taped() as recorder:
        recorder.buffer(MIXED_UP)
        value = F.nll_loss((nn.Linear(3, 4)(torch.randn(32, 3)).softmax(1) @ MIXED_UP).log(), CLASSES)
    tail = tail_of(recorder, value)
    assert tail is not None
    assert left_when_sure(tail) == pytest.approx(0.25, abs=0.01)


@pytest.mark.parametrize("before", [True, False])
def test_what_a_guess_does_not_touch_is_told_apart(before: bool) -> None:
    def loss(values: torch.Tensor) -> torch.Tensor:
        torch.manual_seed(0)
        code = nn.Linear(3, 2)(torch.randn(32, 3))
        size = 0.5 * (1 + code.square() - code).sum(1).mean()
        rest = torch.nn.functional.mse_loss(values, CENTRED)
        return torch.add(2 * size, rest) if before else torch.add(rest, 2 * size)

    found = guessed(loss, 1)
    assert found is not None
    assert found.guess - found.aside == pytest.approx(float(CENTRED.var(correction=0)), rel=0.05)
    assert found.aside > 1
