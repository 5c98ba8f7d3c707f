"""What of a gradient comes from weights alone."""

from collections.abc import Callable

import pytest
import torch
from tests.observe.inside.tape.tapes import taped
from torch import Tensor, nn
from torch.nn import functional as F

from firstlight.observe.inside.tape.penalty import penalty_of, wishes
from firstlight.observe.inside.tape.tail import tail_of
from firstlight.records.taped import PenaltySeen

X, Y = torch.randn(16, 3), torch.randn(16, 4)
Penalising = Callable[[nn.Linear], Tensor]


def sizes(penalise: Penalising, before: float | None = None) -> tuple[float, float] | None:
    torch.manual_seed(0)
    model = nn.Linear(3, 4)
    if before is not None:
        model.weight.grad = torch.full((4, 3), before)
    with taped() as recorder:
        recorder.whole = True
        loss = (model(X) - Y).square().mean() + penalise(model)
    tail = tail_of(recorder, loss)
    assert tail is not None
    found = penalty_of(tail)
    loss.backward()
    return None if found is None else found.sizes()


def expected(penalise: Penalising, weights: bool) -> tuple[float, float]:
    torch.manual_seed(0)
    model = nn.Linear(3, 4)
    held = [model.weight, model.bias][: 1 if weights else 2]
    own = torch.autograd.grad(penalise(model), held)
    data = torch.autograd.grad((model(X) - Y).square().mean(), held)
    norms = [torch.cat([one.flatten() for one in part]).norm().item() for part in (own, data)]
    return norms[0], norms[1]


@pytest.mark.parametrize(
    ("penalise", "weights"),
    [
        (lambda model: 3 * sum(p.pow(2).sum() for p in model.parameters()), False),
        (lambda model: 0.5 * model.weight.abs().sum(), True),
        (lambda model: 2.0 * torch.stack([p.norm() for p in model.parameters()]).sum(), False),
        (lambda model: (model.weight @ model.weight.T).square().sum(), True),
    ],
)
@pytest.mark.parametrize("before", [None, 0.7])
def test_penalties_of_any_form_are_told_from_the_data(
    penalise: Penalising, weights: bool, before: float | None
) -> None:
    found = sizes(penalise, before)
    assert found == pytest.approx(expected(penalise, weights), rel=1e-4)


def test_a_loss_that_sees_weights_through_data_only_has_none() -> None:
    assert sizes(lambda model: 0.1 * model(X).square().mean()) is None


def variation(outputs: Tensor) -> Tensor:
    return (outputs[:, 1:] - outputs[:, :-1]).abs().sum()


def wished(loss: Callable[[Tensor], Tensor]) -> list[PenaltySeen]:
    torch.manual_seed(0)
    with taped() as recorder:
        recorder.whole = True
        value = loss(nn.Linear(3, 4)(X))
    tail = tail_of(recorder, value)
    assert tail is not None
    return list(wishes(tail))


@pytest.mark.parametrize(
    "loss",
    [
        lambda z: F.mse_loss(z, Y) + 3 * variation(z),
        lambda z: (z - Y).square().mean() + 3 * variation(z),
        lambda z: torch.stack([F.mse_loss(z, Y), 3 * variation(z)]).sum(),
    ],
)
def test_terms_without_answers_are_told_from_those_that_compare(loss: Callable[[Tensor], Tensor]) -> None:
    (found,) = wished(loss)
    torch.manual_seed(0)
    outputs = nn.Linear(3, 4)(X).detach().requires_grad_()
    own, through = (
        torch.autograd.grad(term, outputs)[0].norm().item() for term in (3 * variation(outputs), F.mse_loss(outputs, Y))
    )
    assert found.on == "outputs"
    assert (found.own, found.through) == pytest.approx((own, through))


@pytest.mark.parametrize(
    "loss",
    [
        lambda z: F.mse_loss(z, Y),
        variation,
        lambda z: F.mse_loss(z, Y) + (z - Y).abs().sum(),
        lambda z: ((z[:, 0] - Y[:, 0]).square() * (-z[:, 1]).exp()).mean() + 3 * z[:, 1].mean(),
        lambda z: F.mse_loss(z[:, :2], Y[:, :2]) + z.detach().square().sum(),
        lambda z: (z.log_softmax(1) * Y).mean() + variation(z),
        lambda z: F.mse_loss(z, z.detach().roll(1)) + variation(z),
    ],
)
def test_nothing_is_told_where_only_one_kind_of_term_pulls(loss: Callable[[Tensor], Tensor]) -> None:
    assert wished(loss) == []


def test_what_was_fed_and_is_met_again_before_all_terms_is_no_answer() -> None:
    torch.manual_seed(0)
    model, noisy, clean = nn.Linear(4, 4), torch.randn(16, 4), torch.randn(16, 4)
    with taped() as recorder:
        recorder.whole = True
        output = noisy - model(noisy)
        loss = F.mse_loss(output, clean) + variation(output)
        copied = F.mse_loss(model(noisy), noisy) + F.l1_loss(model(noisy), noisy)
    tail, copying = tail_of(recorder, loss), tail_of(recorder, copied)
    assert tail is not None
    assert copying is not None
    assert [found.on for found in wishes(tail)] == ["outputs"]
    assert list(wishes(copying)) == []
