"""What of a gradient comes from weights alone."""

from collections.abc import Callable

import pytest
import torch
from tests.observe.inside.tape.tapes import taped
from torch import Tensor, nn

from firstlight.observe.inside.tape.penalty import penalty_of
from firstlight.observe.inside.tape.tail import tail_of

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
