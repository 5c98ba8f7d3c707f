"""Dropping in eval mode is seen wherever it comes from, asked twice, and told apart from sampling."""

import contextlib
import weakref
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

from firstlight.observe.inside.taps.dropping import DroppingTap
from firstlight.observe.inside.taps.models import Call, Models, Root
from firstlight.records.training import EvalDropping

Forward = Callable[["Net", torch.Tensor], torch.Tensor]


class Net(nn.Module):
    def __init__(self, forward: Forward) -> None:
        super().__init__()
        self.layer, self.drop, self.how = nn.Linear(4, 8), nn.Dropout(0.4), forward
        self.attention = nn.MultiheadAttention(8, 2, dropout=0.4, batch_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.how(self, x)


class Watcher:
    step = 3
    moments: Any = None

    @contextlib.contextmanager
    def quiet(self) -> Iterator[None]:
        with torch._C.DisableTorchFunction():
            yield

    def shielded(self, _tap: str, function: Callable[..., None]) -> Callable[..., None]:
        def call(*arguments: Any) -> None:
            with self.quiet():
                function(*arguments)

        return call


class Mode(TorchFunctionMode):
    def __init__(self) -> None:
        super().__init__()
        self.follower: Callable[..., None] | None = None

    def follow_by(self, follower: Callable[..., None]) -> None:
        self.follower = follower

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if self.follower is not None:
            self.follower(getattr(func, "__name__", ""), args, kwargs or {}, result)
        return result


class Program:
    def __init__(self, forward: Forward) -> None:
        torch.manual_seed(0)
        self.net = Net(forward)
        self.observer, self.mode = Watcher(), Mode()
        self.models = Models(cast("Any", self.observer))
        self.models.roots[id(self.net)] = Root(0, weakref.ref(self.net), "Net", None, backwards=1)
        self.tap = DroppingTap(cast("Any", self.observer), self.models, cast("Any", self.mode))

    def ask(self, given: torch.Tensor, gradients: bool = False) -> torch.Tensor:
        self.models.running, self.models.inside = self.net, True
        self.tap.model_called(gradients)
        with torch.set_grad_enabled(gradients), self.mode:
            output = self.net(given)
        self.models.running, self.models.inside = None, False
        self.tap.returned(Call(self.net, (given,), {}, [given], output, gradients))
        return cast("torch.Tensor", output)

    def seen(self, calls: int = 3) -> EvalDropping | None:
        self.net.eval()
        for _ in range(calls):
            self.ask(torch.randn(6, 5, 4))
        return self.tap.seen(0)


def attended(net: Net, x: torch.Tensor) -> torch.Tensor:
    hidden = net.layer(x)
    return F.scaled_dot_product_attention(hidden, hidden, hidden, dropout_p=0.3)


def dropped(net: Net, x: torch.Tensor) -> torch.Tensor:
    return F.dropout(net.layer(x), 0.3)


def in_place(net: Net, x: torch.Tensor) -> torch.Tensor:
    return F.dropout(net.layer(x), 0.3, inplace=True)


def channels(net: Net, x: torch.Tensor) -> torch.Tensor:
    return F.dropout1d(net.layer(x), p=0.3, training=True)


@pytest.mark.parametrize(
    ("forward", "operation"),
    [
        (attended, "scaled_dot_product_attention"),
        (dropped, "dropout"),
        (in_place, "dropout"),
        (channels, "dropout1d"),
    ],
)
def test_what_drops_in_eval_mode_is_seen(forward: Forward, operation: str) -> None:
    found = Program(forward).seen()
    assert found is not None
    assert (found.operation, found.calls, found.probability, found.resampled) == (operation, 3, 0.3, False)
    assert found.apart > 0.1


def modular(net: Net, x: torch.Tensor) -> torch.Tensor:
    hidden = net.drop(net.layer(x))
    return cast("torch.Tensor", net.attention(hidden, hidden, hidden)[0])


def told_the_mode(net: Net, x: torch.Tensor) -> torch.Tensor:
    hidden = F.dropout(net.layer(x), 0.3, net.training)
    return F.scaled_dot_product_attention(hidden, hidden, hidden, dropout_p=0.3 if net.training else 0.0)


def sampled(net: Net, x: torch.Tensor) -> torch.Tensor:
    hidden = net.layer(x)
    return cast("torch.Tensor", hidden + torch.randn_like(hidden) + torch.bernoulli(hidden.sigmoid()))


@pytest.mark.parametrize("forward", [modular, told_the_mode, sampled])
def test_what_the_mode_turns_off_and_what_samples_is_none(forward: Forward) -> None:
    assert Program(forward).seen() is None


def test_train_mode_and_calls_with_gradients_are_not_looked_at() -> None:
    program = Program(dropped)
    program.ask(torch.randn(6, 5, 4))
    program.net.eval()
    program.ask(torch.randn(6, 5, 4), gradients=True)
    program.net.drop.train()
    program.ask(torch.randn(6, 5, 4))
    assert program.tap.seen(0) is None


def test_the_same_input_again_before_the_next_step_is_sampling() -> None:
    program, given = Program(dropped), torch.randn(6, 5, 4)
    program.net.eval()
    program.ask(given)
    program.observer.step += 5
    program.ask(given)
    found = program.tap.seen(0)
    assert found is not None
    assert not found.resampled
    program.ask(given)
    found = program.tap.seen(0)
    assert found is not None
    assert found.resampled


def test_an_input_many_times_in_one_batch_is_sampling() -> None:
    program = Program(dropped)
    program.net.eval()
    program.ask(torch.randn(3, 5, 4).repeat(4, 1, 1))
    found = program.tap.seen(0)
    assert found is not None
    assert found.resampled


def test_the_programs_random_numbers_are_its_own() -> None:
    program = Program(dropped)
    program.net.eval()
    torch.manual_seed(5)
    with torch.no_grad():
        alone = program.net(torch.ones(4, 4)), torch.rand(3)
    torch.manual_seed(5)
    watched = program.ask(torch.ones(4, 4)), torch.rand(3)
    assert all(torch.equal(one, other) for one, other in zip(alone, watched, strict=True))
