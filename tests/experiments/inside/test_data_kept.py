"""Calls that make many inputs the same are left out of a copy."""

from collections.abc import Callable

import pytest
import torch

from firstlight.experiments.inside.data_kept import _Kept

X = torch.randn(400, 3, generator=torch.Generator().manual_seed(0))
WEIGHT = torch.randn(400, 3, generator=torch.Generator().manual_seed(1)).requires_grad_()


@pytest.mark.parametrize(
    ("call", "kept"),
    [
        (lambda: torch.relu(X), True),
        (lambda: X.clamp(-0.01, 0.01), True),
        (lambda: X.long().float(), True),
        (lambda: X.clamp(-2, 2), False),
        (X.round, False),
        (lambda: X * 2, False),
    ],
)
def test_what_is_coarse_gives_what_it_is_given(call: Callable[[], torch.Tensor], kept: bool) -> None:
    with _Kept():
        assert torch.equal(call(), X) is kept


def test_a_network_and_an_evaluation_are_left_alone() -> None:
    with _Kept():
        hidden = torch.relu(X * WEIGHT)
        with torch.no_grad():
            asked = torch.relu(X)

    assert float(hidden.detach().min()) == float(asked.min()) == 0
