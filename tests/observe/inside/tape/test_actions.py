"""Likelihoods of what the program did, in losses of several kinds."""

from collections.abc import Callable

import pytest
import torch
from tests.observe.inside.tape.tapes import taped
from torch import nn
from torch.nn import functional as F

from firstlight.observe.inside.tape.actions import likelihoods
from firstlight.observe.inside.tape.tail import tail_of

MODEL, X = nn.Linear(3, 2), torch.randn(4, 3)
CHOSEN, WEIGHTS = torch.tensor([0, 1, 1, 0]), torch.randn(4)


@pytest.mark.parametrize(
    "logarithm",
    [
        lambda z: F.log_softmax(z, dim=1)[torch.arange(4), CHOSEN],
        lambda z: F.log_softmax(z, dim=1).gather(1, CHOSEN[:, None]).squeeze(1),
        lambda z: torch.log(F.softmax(z, dim=1)[torch.arange(4), CHOSEN]),
        lambda z: torch.stack([F.softmax(row, dim=-1)[int(at)].log() for row, at in zip(z, CHOSEN, strict=True)]),
    ],
)
def test_the_logarithm_of_what_was_chosen(logarithm: Callable[[torch.Tensor], torch.Tensor]) -> None:
    with taped() as recorder:
        made = logarithm(MODEL(X))
        loss = -(made * WEIGHTS).mean()
    tail = tail_of(recorder, loss)
    assert tail is not None

    found = torch.cat([one.reshape(-1) for one in likelihoods(tail)])

    assert torch.equal(found, made)


def test_classes_that_are_asked_for_are_no_actions_of_a_mean() -> None:
    with taped() as recorder:
        loss = (F.softmax(MODEL(X), dim=1) * F.log_softmax(MODEL(X), dim=1)).sum()
    tail = tail_of(recorder, loss)
    assert tail is not None

    assert list(likelihoods(tail)) == []
