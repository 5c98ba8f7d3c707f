"""Losses for probabilities that are given scores, whoever wrote them; and losses that have a floor or need none."""

from collections.abc import Callable

import pytest
import torch
from tests.observe.inside.tape.tapes import taped
from torch import nn
from torch.nn import functional as F

from firstlight.observe.inside.tape.floor import floors
from firstlight.observe.inside.tape.tail import tail_of
from firstlight.records.taped import FloorSeen

Loss = Callable[[torch.Tensor], torch.Tensor]
torch.manual_seed(0)
INPUTS = torch.randn(32, 3)
CLASSES = torch.arange(32) % 4
ONE_HOT = F.one_hot(CLASSES, 4).float()
MASK = (torch.rand(32, 4) < 0.3).float()
REWARD = (torch.rand(32) < 0.5).float()


def dice(p: torch.Tensor, t: torch.Tensor = MASK) -> torch.Tensor:
    p, t = p.flatten(1), t.flatten(1)
    return 1 - ((2 * (p * t).sum(1) + 1) / (p.sum(1) + t.sum(1) + 1)).mean()


def tversky(p: torch.Tensor) -> torch.Tensor:
    hits, false, missed = (p * MASK).sum(), (p * (1 - MASK)).sum(), ((1 - p) * MASK).sum()
    return 1 - (hits + 1) / (hits + 0.3 * false + 0.7 * missed + 1)


def focal(z: torch.Tensor) -> torch.Tensor:
    each = F.binary_cross_entropy_with_logits(z, MASK, reduction="none")
    return ((1 - torch.exp(-each)) ** 2 * each).mean()


def normal(z: torch.Tensor) -> torch.Tensor:
    mean, log_variance = z.chunk(2, 1)
    return (((MASK[:, :2] - mean) ** 2 * torch.exp(-log_variance) + log_variance) / 2).mean()


def reinforce(z: torch.Tensor) -> torch.Tensor:
    return -(z.log_softmax(1).gather(1, CLASSES[:, None]).squeeze(1) * REWARD).mean()


def cox(z: torch.Tensor) -> torch.Tensor:
    risk = z[:, 0]
    return -((risk - risk.logcumsumexp(0)) * REWARD).mean()


def asked(loss: Loss) -> list[FloorSeen]:
    torch.manual_seed(1)
    with taped() as recorder:
        value = loss(nn.Linear(3, 4)(INPUTS))
    tail = tail_of(recorder, value)
    assert tail is not None
    found = list(floors(tail))
    assert torch.equal(tail.loss, value)
    return found


def fallen(found: FloorSeen) -> float:
    return (found.perfect - found.lowest) / found.spread


@pytest.mark.parametrize(
    "loss",
    [
        pytest.param(dice, id="dice"),
        pytest.param(lambda z: 0.5 * F.binary_cross_entropy_with_logits(z, MASK) + 0.5 * dice(z), id="beside-bce"),
        pytest.param(lambda z: dice(z, ONE_HOT), id="dice-of-classes"),
        pytest.param(tversky, id="tversky"),
        pytest.param(lambda z: -(MASK * z + (1 - MASK) * (1 - z)).mean(), id="linear"),
        pytest.param(lambda z: -(ONE_HOT * z).sum(1).mean(), id="log-softmax-forgotten"),
        pytest.param(lambda z: 1 - ((z * MASK).sum() + 1) / ((z + MASK - z * MASK).sum() + 1), id="jaccard"),
    ],
)
def test_scores_in_the_place_of_probabilities_fall_without_end(loss: Loss) -> None:
    assert max(map(fallen, asked(loss)), default=0) > 10


@pytest.mark.parametrize(
    "loss",
    [
        pytest.param(lambda z: dice(z.sigmoid()), id="dice-of-probabilities"),
        pytest.param(lambda z: F.binary_cross_entropy_with_logits(z, MASK), id="bce"),
        pytest.param(
            lambda z: F.binary_cross_entropy_with_logits(z, MASK, pos_weight=torch.full((4,), 20.0)), id="weighted-bce"
        ),
        pytest.param(lambda z: (F.softplus(z) - z * MASK).mean(), id="bce-by-hand"),
        pytest.param(lambda z: -(ONE_HOT * z.log_softmax(1)).sum(1).mean(), id="log-likelihood"),
        pytest.param(lambda z: (z.logsumexp(1) - (z * ONE_HOT).sum(1)).mean(), id="log-likelihood-in-parts"),
        pytest.param(lambda z: F.cross_entropy(z, ONE_HOT), id="cross-entropy-of-shares"),
        pytest.param(focal, id="focal"),
        pytest.param(lambda z: (1 - z * (2 * MASK - 1)).clamp(min=0).mean(), id="hinge"),
        pytest.param(lambda z: (MASK * (1 - z).relu() + (1 - MASK) * (1 + z).relu()).mean(), id="hinge-by-classes"),
        pytest.param(lambda z: F.mse_loss(z, MASK), id="squared-error"),
        pytest.param(lambda z: 1 - 2 * (z * MASK).sum() / (z * z + MASK * MASK).sum(), id="dice-of-squares"),
        pytest.param(normal, id="normal-of-free-variance"),
        pytest.param(lambda z: F.gaussian_nll_loss(z[:, :2], MASK[:, :2], z[:, 2:].exp()), id="normal-of-torch"),
        pytest.param(reinforce, id="policy-gradient"),
        pytest.param(cox, id="partial-likelihood"),
        pytest.param(lambda z: (z[:16] - z[16:]).mean(), id="critic"),
        pytest.param(
            lambda z: ((z * ONE_HOT).sum(1) - REWARD).square().mean() + z.logsumexp(1).mean() - 0.1 * z.mean(),
            id="values-of-actions",
        ),
        pytest.param(
            lambda z: (REWARD * z.square().sum(1) + (1 - REWARD) * (2 - z.norm(dim=1)).relu() ** 2).mean(),
            id="contrastive-pairs",
        ),
        pytest.param(lambda z: ((z[:, :2] - z[:, 2:]).square() * MASK[:, :2]).mean(), id="masked-error"),
        pytest.param(lambda z: (z.exp() - MASK * z).mean(), id="poisson"),
    ],
)
def test_losses_for_scores_have_a_floor_and_others_are_not_asked(loss: Loss) -> None:
    assert max(map(fallen, asked(loss)), default=0) < 5
