"""Calls on the way of the data into the network that leave few values of many."""

from collections.abc import Callable

import pytest
import torch
from tests.observe.inside.tape.tapes import taped
from torch import nn

from firstlight.observe.inside.tape.levels import levelled

torch.manual_seed(0)
X = torch.randn(32, 6)
Change = Callable[[torch.Tensor], torch.Tensor]


def seen(change: Change) -> dict[str, tuple[float, float]]:
    model = nn.Linear(6, 2)
    with taped() as recorder:
        recorder.whole = True
        model(change(X)).sum()
    return {one.row.name: (one.before, one.after) for one in levelled(recorder.entered, recorder)}


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (lambda x: x.clamp(-0.01, 0.01), "clamp"),
        (lambda x: torch.cat([x[:, :2], x[:, 2:].sign()], 1).clamp(-0.01, 0.01), "clamp"),
        (lambda x: torch.floor(x / 4), "floor"),
    ],
)
def test_a_coarse_call_is_seen_behind_others(change: Change, name: str) -> None:
    before, after = seen(change)[name]

    assert before < 0.2
    assert after > 0.9


@pytest.mark.parametrize("change", [lambda x: x.clamp(-3, 3), lambda x: (x - x.mean(0)) / 2, lambda x: x.exp()])
def test_other_calls_leave_the_values_many(change: Change) -> None:
    assert all(after < 0.2 for _, after in seen(change).values())


@pytest.mark.parametrize(
    "change",
    [
        lambda x: (x > 0).float(),
        lambda x: torch.bernoulli(x.sigmoid()),
        lambda x: x * (x > 9),
        lambda x: (0.4 * x.tanh()).round() * 2,
        torch.ones_like,
    ],
    ids=["a comparison", "drawn", "a mask", "rounded", "of its shape alone"],
)
def test_what_is_meant_to_be_on_or_off_is_not_asked(change: Change) -> None:
    assert not any(before < 0.5 < after for before, after in seen(change).values())
