import pytest
import torch
from torch.nn import functional

from firstlight.observe.inside.graph import Reduced, negated_loss, reduced, times_average

SCORES = torch.randn(4, 3, requires_grad=True)
LABELS = torch.tensor([0, 1, 2, 0])
CHANCES = torch.full((4, 3), 0.5)


@pytest.mark.parametrize(
    "loss",
    [
        functional.cross_entropy(SCORES, LABELS),
        functional.mse_loss(SCORES, CHANCES),
        functional.smooth_l1_loss(SCORES, CHANCES),
        functional.huber_loss(SCORES, CHANCES),
        functional.binary_cross_entropy_with_logits(SCORES, CHANCES),
        functional.binary_cross_entropy(SCORES.sigmoid(), CHANCES),
    ],
    ids=lambda loss: loss.grad_fn.name(),
)
def test_by_what_a_mean_loss_was_multiplied(loss: torch.Tensor) -> None:
    assert times_average(loss) == 1.0
    assert times_average(loss / 4) == 0.25
    assert times_average(0.5 * (loss / torch.tensor(4.0))) == 0.125
    assert times_average(loss + 1) is None
    assert times_average(loss * SCORES.mean()) is None


def test_a_sum_is_not_an_average() -> None:
    assert times_average(functional.cross_entropy(SCORES, LABELS, reduction="sum")) is None
    assert times_average(SCORES.sum()) is None
    assert times_average(torch.ones((), requires_grad=True)) is None


@pytest.mark.parametrize(
    ("loss", "name"),
    [
        (-functional.cross_entropy(SCORES, LABELS), "cross_entropy"),
        (functional.mse_loss(SCORES, CHANCES) * -0.5, "mse_loss"),
        (-functional.mse_loss(SCORES, CHANCES, reduction="none").mean(), "mse_loss"),
        (-functional.mse_loss(SCORES, CHANCES) * -1.0, None),
        (functional.mse_loss(SCORES, CHANCES), None),
        (-functional.nll_loss(SCORES, LABELS), None),
        (-SCORES.mean(), None),
    ],
)
def test_the_negative_of_a_loss_that_is_never_below_zero(loss: torch.Tensor, name: str | None) -> None:
    assert negated_loss(loss) == name


@pytest.mark.parametrize(
    ("loss", "averaged", "summed"),
    [
        (SCORES.square().mean(), 12, False),
        (-0.5 * SCORES.square().sum(-1).mean(), 4, True),
        ((SCORES.square().sum(1) + 1).mean(), 4, True),
        (SCORES.exp().mean(dim=(0, -1)), 12, False),
        (SCORES.exp().mean(-1).sum() / 4, 3, True),
        (functional.mse_loss(SCORES, CHANCES), 12, False),
        (functional.mse_loss(SCORES, CHANCES, reduction="sum"), 1, True),
        (functional.cross_entropy(SCORES, LABELS), 4, False),
    ],
)
def test_how_a_number_was_made_of_many(loss: torch.Tensor, averaged: int, summed: bool) -> None:
    assert reduced(loss.grad_fn) == Reduced(averaged, summed)
