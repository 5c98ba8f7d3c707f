"""Which way losses of all kinds pull the outputs of a network."""

from collections.abc import Callable

import pytest
import torch
from tests.observe.inside.tape.tapes import taped
from torch import nn
from torch.nn import functional as F

from firstlight.observe.inside.tape.pull import pulls
from firstlight.observe.inside.tape.tail import tail_of
from firstlight.records.taped import PullSeen

torch.manual_seed(3)
MODEL = nn.Linear(3, 4)
X, Y = torch.randn(16, 3), 5 + torch.randn(16, 4)
TAGS = (torch.rand(16, 4) > 0.6).float()
KINDS = torch.arange(16) % 4
WEIGHTS = torch.randn(16)
Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def asked(loss: Loss, answers: torch.Tensor) -> list[PullSeen]:
    with taped() as recorder:
        recorder.whole = True
        value = loss(MODEL(X), answers.clone())
    found = tail_of(recorder, value)
    assert found is not None
    return list(pulls(found))


def pinball(z: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.maximum(0.9 * (y - z), -0.1 * (y - z)).mean()


def soft(z: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return -(y * F.log_softmax(z, dim=1)).sum(1).mean()


def by_hand(z: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    p = z.sigmoid()
    return -(y * p.log() + (1 - y) * (1 - p).log()).mean()


def mixture(z: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return -torch.logsumexp(-0.5 * (y[:, :1] - z).square(), dim=1).mean()


def ratio(z: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    likelihood = F.log_softmax(z, dim=1)[torch.arange(16), KINDS]
    ratio = (likelihood - torch.full((16,), -1.4)).exp()
    return -torch.minimum(ratio * weights, ratio.clamp(0.8, 1.2) * weights).mean()


def minus_first(z: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    likelihood = F.log_softmax(z, dim=1)[torch.arange(16), KINDS]
    return (-weights * (likelihood + 1.4).exp()).mean()


def normalised_by_hand(z: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    shifted = z - z.max(dim=1, keepdim=True).values
    log_p = shifted - shifted.exp().sum(dim=1, keepdim=True).log()
    return -(y * log_p).sum(dim=1).mean()


def share_by_hand(z: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    p = z.exp() / z.exp().sum(dim=1, keepdim=True)
    return (-(p + 1e-8).log() * y).sum(dim=1).mean()


def focal(z: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    p = torch.sigmoid(z)
    ce = F.binary_cross_entropy_with_logits(z, y, reduction="none")
    p_t = p * y + (1 - p) * (1 - y)
    a_t = 0.75 * y + 0.25 * (1 - y)
    return (a_t * (1 - p_t) ** 2 * ce).sum() / y.sum().clamp(min=1)


def focal_of_classes(z: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    p_t = z.softmax(1).gather(1, y[:, None]).squeeze(1)
    weights = torch.tensor([0.2, 0.5, 0.9, 1.0])[y]
    return (weights * (1 - p_t) ** 2 * F.cross_entropy(z, y, reduction="none")).mean()


LOSSES: list[tuple[Loss, torch.Tensor]] = [
    (F.mse_loss, Y),
    (F.l1_loss, 100 * Y),
    (F.smooth_l1_loss, Y),
    (lambda z, y: ((z - y) ** 2).sum(), Y),
    (lambda z, y: (y - z).abs().mean() + 0.1 * z.square().mean(), Y),
    (pinball, Y),
    (mixture, Y),
    (lambda z, y: F.binary_cross_entropy(z.sigmoid(), y), TAGS),
    (F.binary_cross_entropy_with_logits, TAGS),
    (by_hand, TAGS),
    (lambda z, y: F.kl_div(F.log_softmax(z, 1), y.softmax(1), reduction="batchmean"), Y),
    (lambda z, y: F.cross_entropy(z, y.softmax(1)), Y),
    (soft, Y.softmax(1)),
    (normalised_by_hand, Y.softmax(1)),
    (lambda z, y: normalised_by_hand(z.softmax(1), y), Y.softmax(1)),
    (lambda z, y: normalised_by_hand(-z, y), Y.softmax(1)),
    (share_by_hand, Y.softmax(1)),
    (share_by_hand, F.one_hot(KINDS, 4).float()),
    (focal, TAGS),
    (focal_of_classes, KINDS),
    (lambda z, y: (1 - z.softmax(1).gather(1, y[:, None])).mean(), KINDS),
    (lambda z, y: (z.sigmoid() - 2 * z.sigmoid() * y + y).mean(), TAGS),
    (lambda z, y: 7 + F.cross_entropy(z, y), KINDS),
    (lambda z, y: F.nll_loss(F.log_softmax(z, 1), y), KINDS),
    (lambda z, y: -F.log_softmax(z, 1).gather(1, y[:, None]).mean(), KINDS),
    (lambda z, y: -z.softmax(1)[torch.arange(16), y].log().mean(), KINDS),
    (lambda z, y: (F.cross_entropy(z, y, reduction="none") * torch.rand(16)).mean(), KINDS),
    (lambda z, w: -(F.log_softmax(z, 1)[torch.arange(16), KINDS] * w).mean(), WEIGHTS),
    (lambda z, w: (-F.log_softmax(z, 1)[torch.arange(16), KINDS] * w).mean(), WEIGHTS),
    (minus_first, WEIGHTS),
    (ratio, WEIGHTS),
    (lambda z, y: (z - z.detach().roll(1, 0)).pow(2).mean(), Y),
]


@pytest.mark.parametrize(("loss", "answers"), LOSSES)
def test_losses_pull_towards_answers_and_their_negatives_away(loss: Loss, answers: torch.Tensor) -> None:
    plain, negated = asked(loss, answers), asked(lambda z, y: -loss(z, y), answers)

    assert plain
    assert all(pull.right < pull.contrary for pull in plain)
    assert [pull.kind for pull in negated] == [pull.kind for pull in plain]
    assert all(pull.right > pull.contrary for pull in negated if pull.operation != "__mul__" or loss is not ratio)


@pytest.mark.parametrize(
    ("loss", "answers"),
    [
        (lambda z, y: -z.mean(), Y),
        (lambda z, y: (z * y).mean(), Y),
        (lambda z, y: (z - z.detach().roll(1, 0)).mean(), Y),
        (lambda z, y: z.square()[torch.arange(16), y].mean(), KINDS),
        (lambda z, w: ((z[:, 0] - X[:, 0]).square() * w).mean(), WEIGHTS),
        (lambda z, y: F.mse_loss(z[:2], y[:2, :1].expand(2, 4)[:, :4]), Y[:, :1]),
    ],
)
def test_where_nothing_is_compared_or_signs_are_mixed_nothing_is_asked(loss: Loss, answers: torch.Tensor) -> None:
    assert [pull for pull in asked(loss, answers) if pull.right >= pull.contrary] == []


def test_soft_targets_are_answers_and_what_a_network_earned_is_not() -> None:
    assert {pull.kind for pull in asked(normalised_by_hand, Y.softmax(1))} == {"classes"}
    assert {pull.kind for pull in asked(minus_first, WEIGHTS)} == {"likelihoods"}


def test_what_is_subtracted_on_the_way_to_the_comparison_is_no_answer() -> None:
    found = asked(lambda z, y: F.mse_loss(X.mean(1, keepdim=True) - z, y), Y)
    assert [pull.operation for pull in found] == ["mse_loss"]


@pytest.mark.parametrize(
    ("loss", "answers", "low", "high"),
    [
        (F.mse_loss, Y, 0.1, 3.0),
        (F.cross_entropy, KINDS, 0.1, 3.0),
        (lambda z, y: 1e-6 * F.mse_loss(z, y) + z.square().mean(), Y, 1e-9, 1e-4),
        (lambda z, y: F.mse_loss(z, 1e-6 * y), Y, 1e-9, 1e-4),
    ],
)
def test_how_much_answers_count_among_all_that_outputs_are_told(
    loss: Loss, answers: torch.Tensor, low: float, high: float
) -> None:
    (pull,) = asked(loss, answers)
    assert pull.share is not None
    assert low < pull.share < high


def test_answers_that_are_all_alike_tell_nothing() -> None:
    (pull,) = asked(F.mse_loss, torch.ones(16, 4))
    assert pull.share is None
