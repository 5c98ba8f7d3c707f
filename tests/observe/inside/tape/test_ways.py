"""From the last layer to the answers, in training and in evaluation."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from tests.observe.inside.tape.tapes import taped
from torch import nn
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

from firstlight.observe.inside.tape.tail import tail_of
from firstlight.observe.inside.tape.ways import Way, WayFollower, training_ways

MODEL = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
X, Y = torch.randn(16, 3), torch.randn(16, 2)
LAYER = id(MODEL[2].weight)
Loss = Callable[[torch.Tensor], torch.Tensor]


class _Following(TorchFunctionMode):
    def __init__(self) -> None:
        super().__init__()
        self.follower, self.found = WayFollower(), list[Way]()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        way = self.follower.note(func.__name__, args, kwargs or {}, result)
        self.found += [] if way is None else [way]
        return result


def trained(loss: Loss) -> list[Way]:
    with taped() as recorder:
        recorder.whole = True
        value = loss(MODEL(X))
    tail = tail_of(recorder, value)
    assert tail is not None
    return [way for way, _ in training_ways(tail)]


def evaluated(metric: Loss) -> list[Way]:
    mode = _Following()
    with torch.no_grad(), mode:
        metric(MODEL(X))
    return mode.found


@pytest.mark.parametrize(
    ("compare", "operations"),
    [
        (lambda z: F.mse_loss(z, Y), ()),
        (lambda z: (torch.tanh(z) - Y).abs().mean(), ("tanh",)),
        (lambda z: F.l1_loss(z.reshape(16, 2).sigmoid(), Y), ("sigmoid",)),
        (lambda z: (Y[:, 0] - z[:, 0] * 2).square().mean(), ("mul",)),
    ],
)
def test_both_find_the_same_way_from_the_same_layer(compare: Loss, operations: tuple[str, ...]) -> None:
    assert trained(compare) == evaluated(compare) == [Way(LAYER, operations)]


def test_scaling_back_is_no_comparison() -> None:
    assert evaluated(lambda z: (z * torch.tensor([2.0, 3.0]) - torch.ones(2)).softmax(1)) == []


def test_classes_are_not_compared_value_by_value() -> None:
    assert evaluated(lambda z: (z.argmax(1) == Y.argmax(1)).float().mean()) == []
    assert trained(lambda z: F.cross_entropy(z, Y.argmax(1))) == []


MOVES_OF_ACTIONS, PLACE, GOAL = torch.randn(2, 3), torch.randn(16, 3), torch.randn(16, 3)


@pytest.mark.parametrize(
    "decide", [lambda z: z.argmax(1), lambda z: torch.multinomial(z, 1)[:, 0], lambda z: z[:, 0] > 0]
)
def test_a_way_ends_where_something_is_decided(decide: Loss) -> None:
    """What an action does to the world, or what a mask leaves of it, are not the values of the output."""
    assert evaluated(lambda z: PLACE + MOVES_OF_ACTIONS[decide(z.softmax(1)).long()] - GOAL) == []


def test_its_own_actions_are_no_answers() -> None:
    with taped() as recorder:
        recorder.whole = True
        with torch.no_grad():
            acted = MODEL(X).tanh()
        value = (MODEL(X) - acted).square().mean()
    tail = tail_of(recorder, value)
    assert tail is not None

    assert list(training_ways(tail)) == []
