import pytest
import torch

from firstlight.observe.inside.taps.losses import _normalised_axis

SCORES = torch.randn(8, 5, 3, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize(("dim", "axis"), [(0, 0), (1, None), (2, 2)])
def test_the_axis_of_log_probabilities_is_told_unless_it_is_that_of_the_classes(dim: int, axis: int | None) -> None:
    assert _normalised_axis(SCORES.log_softmax(dim)) == axis


def test_scores_and_parts_of_log_probabilities_have_no_axis() -> None:
    assert _normalised_axis(SCORES) is None
    assert _normalised_axis(SCORES.log_softmax(1)[:, :2]) is None
    assert _normalised_axis(SCORES[0, :, 0].log_softmax(0)) is None
