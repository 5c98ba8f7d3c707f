import pytest
import torch
from torch.nn import functional

from firstlight.observe.inside.graph import is_average, negated_loss

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
def test_a_mean_loss_is_an_average_until_it_is_divided(loss: torch.Tensor) -> None:
    assert is_average(loss)
    assert not is_average(loss / 4)
    assert not is_average(loss * 0.25)
    assert not is_average(loss + 1)


def test_a_sum_is_not_an_average() -> None:
    assert not is_average(functional.cross_entropy(SCORES, LABELS, reduction="sum"))
    assert not is_average(SCORES.sum())
    assert not is_average(torch.ones((), requires_grad=True))


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
