"""Outputs that a loss rewards without end, and those that it keeps."""

from collections.abc import Callable

import pytest
import torch
from tests.observe.inside.tape.tapes import taped
from torch import Tensor, nn
from torch.nn import functional as F

from firstlight.observe.inside.tape.runaway import runaways
from firstlight.observe.inside.tape.tail import tail_of
from firstlight.records.taped import RunawaySeen

FAR = torch.linspace(290_000.0, 310_000.0, 32)
Y = torch.linspace(-2, 2, 32)
KINDS = torch.arange(32) % 4
Loss = Callable[[Tensor, Tensor], Tensor]
"""Of two outputs with four columns each, of different layers."""


def asked(loss: Loss, one_layer: bool = False) -> list[RunawaySeen]:
    torch.manual_seed(0)
    first, second = nn.Linear(3, 4), nn.Linear(3, 4)
    with taped() as recorder:
        recorder.whole = True
        value = loss(first(torch.randn(32, 3)), (first if one_layer else second)(torch.randn(32, 3)))
    found = tail_of(recorder, value)
    assert found is not None
    return list(runaways(found))


def gaussian(mean: Tensor, log_variance: Tensor, sign: float = 1.0) -> Tensor:
    misfit = 0.5 * (Y - mean[:, 0]) ** 2 * torch.exp(-log_variance[:, 0])
    return misfit.mean() + sign * 0.5 * log_variance[:, 0].mean()


def by_variance(mean: Tensor, raw: Tensor, sign: float = 1.0) -> Tensor:
    variance = F.softplus(raw[:, 1]) + 1e-6
    return ((mean[:, 0] - Y).square() / variance + sign * variance.log()).mean()


def divergence(code: Tensor, spread: Tensor) -> Tensor:
    return -0.5 * (1 + spread - code.square() - spread.exp()).sum(1).mean()


@pytest.mark.parametrize(
    ("loss", "way"),
    [
        pytest.param(lambda m, v: gaussian(m, v, -1), "up", id="log-variance"),
        pytest.param(lambda m, v: gaussian(m, v.clamp(-7, 7), -1), "up", id="log-variance-bounded"),
        pytest.param(lambda m, v: gaussian(v[:, :1], v[:, 1:].clamp(max=5), -1), "up", id="one-head"),
        pytest.param(lambda m, v: gaussian(v.chunk(2, 1)[0], v.chunk(2, 1)[1], -1), "up", id="one-head-in-two"),
        pytest.param(lambda m, v: by_variance(m, v, -1), "up", id="variance"),
        pytest.param(lambda m, v: 8.0 * gaussian(m, v, -1), "up", id="scaled"),
        pytest.param(lambda m, v: F.mse_loss(m[:, 0], Y) - 0.1 * divergence(v, v), "down", id="divergence"),
        pytest.param(
            lambda m, v: gaussian(m, v, -1) + 1e-5 * nn.Parameter(torch.ones(3)).square().sum(), "up", id="l2"
        ),
    ],
)
def test_what_is_rewarded_without_end_is_told(loss: Loss, way: str) -> None:
    found = asked(loss)
    assert way in {one.way for one in found}
    assert all(one.lowest < one.loss - 2 for one in found)


@pytest.mark.parametrize(
    "loss",
    [
        pytest.param(gaussian, id="log-variance"),
        pytest.param(lambda m, v: gaussian(m, v.clamp(-7, 7)), id="bounded"),
        pytest.param(by_variance, id="variance"),
        pytest.param(lambda m, v: (gaussian(m, v) * v[:, 0].detach().exp().sqrt()).mean(), id="weighted"),
        pytest.param(lambda m, v: F.mse_loss(m[:, 0], Y) + 0.1 * divergence(v, v), id="divergence"),
        pytest.param(lambda m, v: F.cross_entropy(m, KINDS) + 0.1 * v.square().mean(), id="penalty"),
        pytest.param(lambda m, v: F.nll_loss(m, KINDS), id="compared-by-itself"),
        pytest.param(lambda m, v: F.cross_entropy(m, KINDS) - F.logsigmoid(v).mean(), id="saturates"),
        pytest.param(lambda m, v: F.relu(1 - (2 * (Y > 0) - 1) * m[:, 0]).mean() + F.relu(1 - v).mean(), id="hinge"),
        pytest.param(lambda m, v: -(F.log_softmax(m, 1)[:, 0] * Y).mean() - v.mean(), id="policy"),
        pytest.param(lambda m, v: v.mean() - m.mean(), id="no-answers"),
        pytest.param(lambda m, v: F.cross_entropy(m, KINDS) - v.softmax(1).log().mean(), id="smoothing"),
    ],
)
def test_what_has_a_lowest_place_is_not(loss: Loss) -> None:
    assert asked(loss) == []


def test_scores_of_one_layer_are_shifted_together() -> None:
    def critic(real: Tensor, drawn: Tensor) -> Tensor:
        return F.mse_loss(real[:, 0], Y) + (drawn[:, 1] - real[:, 1]).mean()

    assert asked(critic, one_layer=True) == []
    assert asked(critic) != []


def test_answers_that_lie_far_off_are_reached_at_last() -> None:
    def quantiles(middle: Tensor, above: Tensor) -> Tensor:
        off = FAR[:, None] - torch.stack([middle[:, 0], middle[:, 0] + F.softplus(above[:, 0])], 1)
        return torch.maximum(0.5 * off, -0.5 * off).mean()

    assert asked(quantiles) == []
