import pytest
import torch

from firstlight.observe.inside.taps.losses import Given, _weighed


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (
            Given(
                "cross_entropy", torch.zeros(5, 3), torch.tensor([0, 0, 1, 2, 2]), {"weight": torch.tensor([1, 2, 0])}
            ),
            ((2, 1, 2), (2, 2, 0)),
        ),
        (
            Given(
                "nll_loss",
                torch.zeros(4, 2),
                torch.tensor([0, 1, -100, 9]),
                {"weight": torch.tensor([1.0, 4.0]), "ignore_index": 0},
            ),
            ((0, 1), (0, 4)),
        ),
        (
            Given(
                "binary_cross_entropy_with_logits",
                torch.zeros(2, 2),
                torch.tensor([[1.0, 0.0], [1.0, 1.0]]),
                {"pos_weight": torch.tensor([2.0, 5.0])},
            ),
            ((1, 3), (1, 9)),
        ),
        (Given("cross_entropy", torch.zeros(2, 3), torch.tensor([0, 1]), {"weight": None}), ((), ())),
        (
            Given(
                "binary_cross_entropy_with_logits",
                torch.zeros(2),
                torch.tensor([0.3, 1.0]),
                {"pos_weight": torch.tensor(2.0)},
            ),
            ((), ()),
        ),
        (Given("mse_loss", torch.zeros(2), torch.zeros(2), {}), ((), ())),
    ],
)
def test_classes_are_counted_with_and_without_their_weights(given: Given, found: tuple[object, object]) -> None:
    assert _weighed(given) == found
