"""Terms of the loss without gradient, and the call that lost it."""

from collections.abc import Callable

import pytest
import torch
from tests.observe.inside.tape.tapes import taped
from torch import nn
from torch.nn import functional as F

from firstlight.observe.inside.tape.tail import tail_of
from firstlight.observe.inside.tape.terms import silent_derivatives, silent_terms, unfelt_terms
from firstlight.records.taped import TermSeen

MODEL = nn.Linear(3, 3)
Y = torch.randn(8, 3)


def under_no_grad(z: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return z.square().mean() * 0.1


def terms(loss: Callable[[torch.Tensor], torch.Tensor]) -> list[TermSeen]:
    with taped() as recorder:
        recorder.whole = True
        value = loss(MODEL(torch.randn(8, 3)))
    tail = tail_of(recorder, value)
    assert tail is not None
    return list(silent_terms(tail))


@pytest.mark.parametrize(
    ("loss", "cut"),
    [
        (lambda z: F.mse_loss(z, Y) + 0.1 * z.square().mean().detach(), "detach"),
        (lambda z: F.mse_loss(z, Y) + under_no_grad(z), "square"),
        (lambda z: (F.mse_loss(z, Y) + z.data.square().mean()) / 4, "data"),
        (lambda z: ((z - Y).square().sum(1) + z.detach().abs().sum(1)).mean(), "detach"),
        (lambda z: F.mse_loss(z, Y) - 0.01 * z.detach().softmax(1).log().mean(), "detach"),
    ],
)
def test_a_term_without_gradient_is_found_with_the_call_that_cut_it(
    loss: Callable[[torch.Tensor], torch.Tensor], cut: str
) -> None:
    (term,) = terms(loss)
    assert term.operation == cut
    assert term.value != 0


@pytest.mark.parametrize(
    "loss",
    [
        lambda z: F.mse_loss(z, Y) + 0.1 * z.square().mean(),
        lambda z: F.mse_loss(z, Y) * z.detach().abs().mean(),
        lambda z: (z * (Y - z).detach()).mean(),
        lambda z: F.mse_loss(z, Y + 0.9 * z.detach()),
        lambda z: F.mse_loss(z, Y) + torch.tensor(0.5),
        lambda z: F.mse_loss(z, Y) + 0 * z.detach().mean(),
        lambda z: (z.log_softmax(1) * z.softmax(1).detach()).sum(1).mean().neg(),
    ],
    ids=["regular", "factor", "advantage", "bootstrap", "number", "nothing", "self-distillation"],
)
def test_detached_factors_and_answers_are_no_terms(loss: Callable[[torch.Tensor], torch.Tensor]) -> None:
    assert not terms(loss)


def derivatives(create_graph: bool, residual: Callable[..., torch.Tensor]) -> list[TermSeen]:
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
    with taped() as recorder:
        recorder.whole = True
        x = torch.rand(16, 1, requires_grad=True)
        u = network(x)
        (slope,) = torch.autograd.grad(u, x, torch.ones_like(u), create_graph=create_graph, retain_graph=True)
        value = residual(u, slope, network[2].weight).square().mean()
    tail = tail_of(recorder, value)
    assert tail is not None
    return list(silent_derivatives(tail))


def test_a_derivative_in_a_residual_is_to_have_a_gradient() -> None:
    (term,) = derivatives(False, lambda u, slope, _: slope[:, 0:1] + 2 * u)

    assert (term.operation, term.derivative) == ("grad", True)
    assert term.value > 0
    assert not derivatives(True, lambda u, slope, _: slope[:, 0:1] + 2 * u)


@pytest.mark.parametrize(
    "residual",
    [
        lambda u, slope, _: u * slope.abs(),
        lambda u, slope, weight: u * (weight - 0.1 * slope.mean()).sum(),
        lambda u, slope, _: u - 1.0,
        lambda u, slope, _: u - 0.9 * u.detach(),
    ],
    ids=["factor", "step", "unused", "bootstrap"],
)
def test_a_derivative_that_weighs_or_moves_weights_is_meant_and_so_is_what_was_detached(
    residual: Callable[..., torch.Tensor],
) -> None:
    assert not derivatives(False, residual)


class Coder(nn.Module):
    """An autoencoder whose code is penalised; `passed` is what the decoder is given of it."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.decoder, self.probe = nn.Linear(3, 2), nn.Linear(2, 3), nn.Linear(2, 4)


CODER = Coder()
X = torch.randn(8, 3)


def unfelt(loss: Callable[[torch.Tensor], torch.Tensor]) -> list[TermSeen]:
    with taped() as recorder:
        recorder.whole = True
        value = loss(CODER.encoder(X))
    tail = tail_of(recorder, value)
    assert tail is not None
    return list(unfelt_terms(tail))


def penalty(code: torch.Tensor) -> torch.Tensor:
    return 0.5 * (code.square().sum(1) + code.exp().sum(1)).mean()


def by_score(chances: torch.distributions.Bernoulli) -> torch.Tensor:
    bits = chances.sample()
    each = (CODER.decoder(bits) - Y).square().sum(1)
    found: torch.Tensor = (each + each.detach() * chances.log_prob(bits).sum(1)).mean()  # log_prob is untyped
    return found


@pytest.mark.parametrize(
    ("passed", "cut"),
    [
        (lambda code: code.detach(), "detach"),
        (lambda code: torch.randn_like(code) + code.detach(), "detach"),
        (lambda code: torch.stack([row.data for row in code]), "data"),
        (lambda code: torch.distributions.Normal(code, code.exp()).sample(), "normal"),
        (lambda code: torch.normal(code, code.exp()), "normal"),
        (lambda code: torch.bernoulli(code.sigmoid()), "bernoulli"),
        (lambda code: code.round(), "round"),
        (lambda code: (code > 0).float(), "gt"),
    ],
)
def test_a_code_that_is_penalised_and_cut_off_from_the_answers_is_found(
    passed: Callable[[torch.Tensor], torch.Tensor], cut: str
) -> None:
    (term,) = unfelt(lambda code: F.mse_loss(CODER.decoder(passed(code)), Y) + penalty(code))

    assert (term.operation, term.unfelt) == (cut, 2)


@pytest.mark.parametrize(
    "loss",
    [
        lambda code: F.mse_loss(CODER.decoder(code), Y) + penalty(code),
        lambda code: F.mse_loss(CODER.decoder(code.detach()), Y),
        lambda code: (
            F.mse_loss(CODER.decoder(code), Y) + F.cross_entropy(CODER.probe(code.detach()), torch.arange(8) % 4)
        ),
        lambda code: F.mse_loss(CODER.decoder(code.detach()), Y) + F.cross_entropy(code @ code.T, torch.arange(8)),
        lambda code: F.mse_loss(CODER.decoder(code.detach()), Y) - code.var(0).sum(),
        lambda code: F.mse_loss(CODER.decoder(code + (code.round() - code).detach()), Y) + penalty(code),
        lambda code: (
            F.mse_loss(CODER.decoder(torch.distributions.Normal(code, code.exp()).rsample()), Y) + penalty(code)
        ),
        lambda code: by_score(torch.distributions.Bernoulli(logits=code)) + penalty(code),
    ],
    ids=["whole", "never trained", "probe", "contrast", "spread", "straight through", "moved noise", "score"],
)
def test_a_cut_that_leaves_a_comparison_or_a_contrast_is_meant(loss: Callable[[torch.Tensor], torch.Tensor]) -> None:
    assert not unfelt(loss)
