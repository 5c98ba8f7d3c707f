"""The curvature of losses whose Hessian is known."""

import pytest
import torch
from torch import nn

from firstlight.experiments.inside.curvature import curvature_of


def bowl(weights: torch.Tensor, *curvatures: float) -> torch.Tensor:
    return 0.5 * (torch.tensor(curvatures) * weights**2).sum()


@pytest.fixture
def weights() -> nn.Parameter:
    return nn.Parameter(torch.tensor([1.0, 1.0, 1.0]))


@pytest.mark.parametrize(
    ("curvatures", "top"), [((1.0, 4.0, 2.0), 4.0), ((1.0, 4.0, -9.0), 4.0), ((-1.0, -5.0, -9.0), -1.0)]
)
def test_the_largest_eigenvalue_is_found_even_beside_a_larger_negative_one(
    weights: nn.Parameter, curvatures: tuple[float, ...], top: float
) -> None:
    seen = curvature_of(bowl(weights, *curvatures), [torch.optim.SGD([weights], 0.1)], 1.0)
    assert seen.top == pytest.approx(top, rel=0.1)
    assert seen.stable == (None if top < 0 else pytest.approx(2 / top, rel=0.1))


@pytest.mark.parametrize(("rate", "stays"), [(0.95, True), (1.05, False)])
def test_steps_below_the_limit_settle_and_steps_above_it_do_not(rate: float, stays: bool) -> None:
    """With momentum, where the limit is not the textbook's two over the curvature."""
    weights = nn.Parameter(torch.ones(3))
    limit = curvature_of(bowl(weights, 1, 4, 2), [torch.optim.SGD([weights], 0.1, momentum=0.9)], 1.0).stable
    assert limit is not None
    optimizer = torch.optim.SGD([weights], rate * limit, momentum=0.9)
    for _ in range(400):
        optimizer.zero_grad()
        bowl(weights, 1, 4, 2).backward()
        optimizer.step()
    assert (bowl(weights, 1, 4, 2).item() < 6.0) == stays


def test_what_an_adaptive_optimizer_divides_by_is_divided_out(weights: nn.Parameter) -> None:
    optimizer = torch.optim.Adam([weights], 1e-9, betas=(0.0, 0.9))
    for _ in range(5):
        optimizer.zero_grad()
        bowl(weights, 1, 100, 4).backward()
        optimizer.step()
    seen = curvature_of(bowl(weights, 1, 100, 4), [optimizer], 1.0)
    assert seen.top == pytest.approx(1.0, rel=0.01)  # gradients are as large as curvatures here
    assert seen.stable == pytest.approx(2.0, rel=0.01)


def test_groups_with_other_rates_and_steps_of_several_backwards_count(weights: nn.Parameter) -> None:
    other = nn.Parameter(torch.ones(1))
    loss = bowl(weights, 1, 2, 3) + 5 * other.square().sum() / 2
    optimizer = torch.optim.SGD([{"params": [weights], "lr": 0.1}, {"params": [other], "lr": 0.3}])
    assert curvature_of(loss, [optimizer], 1.0).top == pytest.approx(15, rel=0.05)
    assert curvature_of(loss, [optimizer], 4.0).top == pytest.approx(60, rel=0.05)


class Once(torch.autograd.Function):
    @staticmethod
    def forward(context: torch.autograd.function.FunctionCtx, x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(context: torch.autograd.function.FunctionCtx, slope: torch.Tensor) -> torch.Tensor:
        return slope.clone()


def test_where_it_cannot_be_measured_the_reason_is_said(weights: nn.Parameter) -> None:
    optimizer = torch.optim.SGD([weights], 0.1)
    loss = bowl(Once.apply(weights), 1, 2, 3)  # type: ignore[no-untyped-call]
    assert "a second backward is not possible" in curvature_of(loss, [optimizer], 1.0).reason
    loss.backward()
    assert weights.grad is not None
    assert "several optimizers" in curvature_of(bowl(weights, 1, 2, 3), [optimizer, optimizer], 1.0).reason
    assert "LBFGS" in curvature_of(bowl(weights, 1, 2, 3), [torch.optim.LBFGS([weights])], 1.0).reason
    assert "no torch optimizer" in curvature_of(bowl(weights, 1, 2, 3), [], 1.0).reason


def test_a_straight_loss_has_no_limit(weights: nn.Parameter) -> None:
    seen = curvature_of(weights.sum(), [torch.optim.SGD([weights], 0.1)], 1.0)
    assert (seen.top, seen.stable, seen.reason) == (0.0, None, "")
