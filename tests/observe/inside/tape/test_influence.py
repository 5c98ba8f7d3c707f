"""Whether single outputs of the network count in the loss."""

from collections.abc import Callable

import pytest
import torch
from tests.observe.inside.tape.tapes import taped
from torch import nn
from torch.nn import functional as F

from firstlight.observe.inside.tape.influence import cancelling, mute_answers, scale_free
from firstlight.observe.inside.tape.tail import Tail, tail_of
from firstlight.records.taped import SCALE, CancelSeen, MuteSeen

torch.manual_seed(3)
MODEL = nn.Linear(3, 4)
X, Y = torch.randn(16, 3), 5 + torch.randn(16, 4)
TAGS = (torch.rand(16, 4) > 0.6).float()
Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def tail(loss: Loss, answers: torch.Tensor, model: nn.Module = MODEL) -> Tail:
    with taped() as recorder:
        recorder.whole = True
        value = loss(model(X), answers.clone())
    found = tail_of(recorder, value)
    assert found is not None
    return found


def sums(loss: Loss, answers: torch.Tensor = Y) -> list[CancelSeen]:
    found = cancelling(tail(loss, answers), torch.Generator().manual_seed(0))
    return [one for one in found if one.moved <= 1e-3 * one.shifted]


def mute(loss: Loss, answers: torch.Tensor = TAGS) -> list[MuteSeen]:
    return list(mute_answers(tail(loss, answers), torch.Generator().manual_seed(0)))


@pytest.mark.parametrize(
    ("loss", "axes"),
    [
        (lambda z, y: (z.mean(0) - y.mean(0)).square().mean(), [0]),
        (lambda z, y: (z - y).mean(0).abs().sum(), [0]),
        (lambda z, y: F.mse_loss(z.sum(0), y.sum(0)), [0]),
        (lambda z, y: (z - y).mean() ** 2, [0, 1]),
        (lambda z, y: (z - torch.randn(16, 4)).mean(0).square().sum(), [0]),
        (lambda z, y: (z - y).sum(1).square().mean(), [1]),
        (lambda z, y: F.smooth_l1_loss(z.mean(), y.mean()), [0]),
        (lambda z, y: (torch.ones(1, 16) @ z - y.sum(0)).square().sum(), [0]),
    ],
)
def test_a_sum_before_the_errors_are_measured_is_found(loss: Loss, axes: list[int]) -> None:
    assert [one.axis for one in sums(loss)] == axes


@pytest.mark.parametrize(
    "loss",
    [
        F.mse_loss,
        F.l1_loss,
        F.smooth_l1_loss,
        lambda z, y: (z - 100 * y).abs().mean(),
        lambda z, y: (z - y).square().sum(1).sqrt().mean(),
        lambda z, y: (z - y).square().mean() + (z.mean(0) - y.mean(0)).square().sum(),
        lambda z, y: 1 - F.cosine_similarity(z, y).mean(),
        lambda z, y: torch.cdist(z, y).min(1).values.mean(),
        lambda z, y: torch.maximum(0.9 * (y - z), -0.1 * (y - z)).mean(),
        lambda z, y: F.cross_entropy(z, y.argmax(1)),
        lambda z, y: (z.mean(1) - y[:, 0]).square().mean(),
        lambda z, y: -z.mean(),
        lambda z, y: F.binary_cross_entropy_with_logits(z, torch.ones_like(z)),
    ],
)
def test_losses_that_look_at_every_example_or_know_no_answers_are_quiet(loss: Loss) -> None:
    assert sums(loss) == []


@pytest.mark.parametrize(
    "loss",
    [
        lambda z, y: torch.relu(1 - z * y).mean(),
        lambda z, y: -(y * F.logsigmoid(z)).mean(),
        lambda z, y: -(y * z.sigmoid().clamp(1e-6, 1).log()).sum(1).mean(),
    ],
)
def test_an_answer_that_counts_for_nothing_is_found(loss: Loss) -> None:
    (found,) = mute(loss)
    assert found.value == 0
    assert found.elements == int((TAGS == 0).sum())


@pytest.mark.parametrize(
    "loss",
    [
        F.binary_cross_entropy_with_logits,
        F.mse_loss,
        lambda z, y: torch.relu(1 - z * (2 * y - 1)).mean(),
        lambda z, y: -(y * z.log_softmax(1)).sum(1).mean(),
        lambda z, y: 1 - 2 * (z.sigmoid() * y).sum() / (z.sigmoid().sum() + y.sum()),
        lambda z, y: (F.mse_loss(z, Y, reduction="none") * y).mean(),
        lambda z, y: F.mse_loss(z[y > 0], y[y > 0]),
        lambda z, y: torch.relu((z - y).abs() - 0.5).mean(),
    ],
)
def test_losses_of_every_answer_and_masks_are_quiet(loss: Loss) -> None:
    assert mute(loss) == []


NUMBER = nn.Linear(3, 1)


def blind(loss: Loss, answers: torch.Tensor, model: nn.Module = NUMBER) -> list[CancelSeen]:
    return [one for one in scale_free(tail(loss, answers, model)) if one.moved <= 1e-3 * one.shifted]


def _correlation(z: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return 1 - F.cosine_similarity(z - z.mean(), y - y.mean(), dim=0)


@pytest.mark.parametrize(
    ("loss", "times"),
    [
        (lambda z, y: 1 - F.cosine_similarity(z, y, dim=0), 1),
        (lambda z, y: F.mse_loss(z / z.norm(), y / y.norm()), 1),
        (lambda z, y: -(z * y).sum() / (z.norm() * y.norm()), 1),
        (lambda z, y: F.cosine_embedding_loss(z[None], y[None], torch.ones(1)), 1),
        (F.mse_loss, 0),
        (F.l1_loss, 0),
        (lambda z, y: F.mse_loss(z, 1e6 + 1e5 * y), 0),
        (lambda z, y: 1 - F.cosine_similarity(1e-6 * z, 1e6 * y, dim=0), 1),
        (_correlation, 0),
        (lambda z, y: ((z - y) / y).square().mean(), 0),
        (lambda z, y: -(z * y).mean(), 0),
        (lambda z, y: (z - z[torch.arange(15, -1, -1)]).mul(y).sigmoid().mean(), 0),
        (lambda z, y: 1 - F.cosine_similarity(z, y, dim=0) + 1e-2 * (z - y).square().mean(), 0),
    ],
)
def test_whether_the_size_of_all_outputs_counts(loss: Loss, times: int) -> None:
    seen = blind(lambda z, y: loss(z.squeeze(-1), y), Y[:, 0])
    assert [one.axis for one in seen] == [SCALE] * times


def test_directions_of_single_examples_and_classes_are_another_matter() -> None:
    assert not blind(lambda z, y: 1 - F.cosine_similarity(z, y, dim=1).mean(), Y, MODEL)
    assert not blind(lambda z, y: 1 - F.cosine_similarity(z[:, 0], y, dim=0), (Y[:, 0] > 5).float())
