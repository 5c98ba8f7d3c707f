"""One layer that stands in for several is known by its predictions; one prediction for several answers is meant."""

from collections.abc import Callable

import pytest
import torch
from tests.observe.inside.tape.tapes import taped
from torch import nn
from torch.nn import functional as F

from firstlight.observe.inside.tape.again import predicted_twice
from firstlight.observe.inside.tape.tail import tail_of
from firstlight.records.taped import TwiceSeen


class Both(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.trunk, self.one, self.other = nn.Linear(4, 6), nn.Linear(6, 1), nn.Linear(6, 1)

    def hidden(self, x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self.trunk(x))


Loss = Callable[[Both, torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]


def asked(loss: Loss) -> list[TwiceSeen]:
    torch.manual_seed(0)
    with taped() as recorder:
        recorder.whole = True
        x, y, z = torch.randn(12, 4), torch.randn(12, 1), torch.randn(12, 1)
        value = loss(Both(), x, y, z)
    tail = tail_of(recorder, value)
    assert tail is not None
    return list(predicted_twice(tail))


def shared(net: Both, x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
    hidden = net.hidden(x)
    return F.mse_loss(net.one(hidden), y) + F.mse_loss(net.one(hidden), z)


def shared_by_hand(net: Both, x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
    hidden = net.hidden(x)
    first: torch.Tensor = net.one(hidden).squeeze(1)
    second: torch.Tensor = net.one(hidden).squeeze(1)
    return (first - y[:, 0]).square().mean() + (second - z[:, 0]).square().mean()


@pytest.mark.parametrize("loss", [shared, shared_by_hand])
def test_one_head_for_two_answers_is_seen(loss: Loss) -> None:
    (found,) = asked(loss)
    assert (found.operation, found.times, found.examples) == ("linear", 2, 12)
    assert abs(found.likeness) < 0.7


def apart(net: Both, x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
    hidden = net.hidden(x)
    return F.mse_loss(net.one(hidden), y) + F.mse_loss(net.other(hidden), z)


def copied(net: Both, x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
    net.other.load_state_dict(net.one.state_dict())
    return apart(net, x, y, z)


def from_zero(net: Both, x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
    for one in net.one.parameters():
        nn.init.zeros_(one)
    return shared(net, x, y, z)


def once(net: Both, x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
    given = net.one(net.hidden(x))
    return F.mse_loss(given.squeeze(1), y[:, 0]) + F.mse_loss(given.squeeze(1), z[:, 0])


def two_losses(net: Both, x: torch.Tensor, y: torch.Tensor, _: torch.Tensor) -> torch.Tensor:
    hidden = net.hidden(x)
    return F.mse_loss(net.one(hidden), y) + F.l1_loss(net.one(hidden), y) + F.mse_loss(net.one(hidden), y.clone())


def mixed(net: Both, x: torch.Tensor, y: torch.Tensor, _: torch.Tensor) -> torch.Tensor:
    hidden = net.hidden(x)
    return F.mse_loss(net.one(hidden), y) + F.mse_loss(net.one(hidden), y.flip(0))


def siamese(net: Both, x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
    return F.mse_loss(net.one(net.hidden(x)), y) + F.mse_loss(net.one(net.hidden(x.flip(0))), z)


def called_twice(net: Both, x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
    return F.mse_loss(net.one(net.hidden(x)), y) + F.mse_loss(net.one(net.hidden(x)), z)


def own_answers(net: Both, x: torch.Tensor, y: torch.Tensor, _: torch.Tensor) -> torch.Tensor:
    hidden = net.hidden(x)
    teacher = net.other(hidden).detach()
    return F.mse_loss(net.one(hidden), y) + F.mse_loss(net.one(hidden), teacher)


@pytest.mark.parametrize(
    "loss", [apart, copied, from_zero, once, two_losses, mixed, siamese, called_twice, own_answers]
)
def test_what_is_meant_is_quiet(loss: Loss) -> None:
    assert not asked(loss)


def test_answers_that_do_not_vary_are_not_taken_to_differ_much() -> None:
    def constant(net: Both, x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
        return shared(net, x, y, z * 0)

    (found,) = asked(constant)
    assert found.likeness == 1.0
