"""Gradients that a program takes and applies itself are backwards; those that it measures something with are not."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from firstlight.observe.inside.cores import Clock
from firstlight.observe.inside.observer import Moments
from firstlight.observe.inside.taps import by_hand
from firstlight.observe.inside.taps.optimizers import Optimizers

W, B, X = torch.randn(3, requires_grad=True), torch.zeros(1, requires_grad=True), torch.randn(5, 3)


def loss() -> torch.Tensor:
    return (X @ W + B).square().mean()


@pytest.fixture
def observer(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(torch.autograd, "grad", torch.autograd.grad)
    found: Any = SimpleNamespace(
        maximizes=lambda: False,
        inert=False, finished=False, in_backward=False, reading=False, backwards=0, taken={}, optimizers=0, seen=[],
        step=0,
    )  # fmt: skip
    found.moments, found.clock = Moments(), Clock()
    found.has_optimizer = lambda: bool(found.optimizers)
    found.tell = lambda moment, *arguments: [listener(*arguments) for listener in moment]
    found.after_backward = lambda: None
    found.moments.backward_ended.append(lambda _: found.seen.append(dict(found.taken)))
    by_hand.install(found)
    return found


def test_it_is_told_as_a_backward_with_what_was_taken(observer: Any) -> None:
    found = torch.autograd.grad(loss(), [W, B])

    assert observer.backwards == 1
    assert observer.seen == [{id(W): found[0], id(B): found[1]}]
    assert (observer.taken, observer.in_backward) == ({}, False)
    assert W.grad is None


@pytest.mark.parametrize(
    "measured",
    [
        lambda: torch.autograd.grad(loss(), W, create_graph=True),
        lambda: torch.autograd.grad(loss(), W, None, True),
        lambda: torch.autograd.grad((X @ W).sum() * (hidden := X @ W).sum(), hidden),
        lambda: torch.autograd.grad(X @ W, W, torch.ones(5)),
    ],
    ids=["differentiated-again", "used-again", "of-no-trained-tensor", "of-many-values"],
)
def test_what_is_a_measurement(observer: Any, measured: Callable[[], Any]) -> None:
    measured()

    assert observer.backwards == 0


@pytest.mark.parametrize("beside", [{"optimizers": 1}, {"backwards": 3}, {"reading": True}, {"in_backward": True}])
def test_beside_an_optimizer_or_backwards_it_is_a_measurement(observer: Any, beside: dict[str, Any]) -> None:
    vars(observer).update(beside)
    torch.autograd.grad(loss(), [W, B])

    assert observer.seen == []


def test_what_an_optimizer_steps_on_without_any_backward_is_one(observer: Any) -> None:
    observer.optimizers = 1
    torch.autograd.grad(loss(), [W, B])  # whether it is handed over is not known yet
    observer.step = 1
    shared = loss()
    for _ in range(2):
        torch.autograd.grad(shared, [W, B], retain_graph=True)
    torch.autograd.grad(loss(), [W, B], create_graph=True)

    assert observer.backwards == 2


def in_place(weight: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return weight.sub_(0.1)


def anew(weight: torch.Tensor) -> torch.Tensor:
    return (weight.detach() - 0.1).requires_grad_()


@pytest.mark.parametrize(
    ("update", "moved"),
    [(in_place, True), (anew, True), (lambda weight: weight, False)],
    ids=["in-place", "anew", "no"],
)
def test_weights_that_are_no_models_are_seen_to_move(update: Any, moved: bool) -> None:
    optimizers = Optimizers(
        SimpleNamespace(full=True, stepping=False, functional=False, taken={}, step=1, emit=lambda _: None),  # type: ignore[arg-type]
        SimpleNamespace(live=lambda: iter(())),  # type: ignore[arg-type]
    )
    weight = torch.ones(3, requires_grad=True)
    for _ in range(3):
        optimizers.walked = SimpleNamespace(leaves=[lambda now=weight: now])  # type: ignore[assignment]
        optimizers.backward_ended()
        weight = update(weight)

    assert optimizers.weights_moved is moved
