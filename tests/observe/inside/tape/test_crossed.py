"""Examples put together with all others by broadcasting, and pairs that were meant."""

from collections.abc import Callable

import pytest
import torch
from tests.observe.inside.tape.tapes import taped
from torch import nn
from torch.nn import functional as F

from firstlight.observe.inside import sites
from firstlight.observe.inside.tape.crossed import crossed
from firstlight.observe.inside.tape.tail import tail_of
from firstlight.records.places import Site
from firstlight.records.taped import CrossedSeen

Loss = Callable[[torch.Tensor], torch.Tensor]
N = 16
Y = torch.randn(N, generator=torch.Generator().manual_seed(1))
WEIGHTS = Y.exp()[:, None]


@pytest.fixture(autouse=True)
def _each_call_on_a_line_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = iter(range(10**6))
    monkeypatch.setattr(sites, "caller", lambda *_: Site(file="train.py", line=next(lines)))


def asked(loss: Loss, lengths: tuple[int, ...] = (N,)) -> list[CrossedSeen]:
    torch.manual_seed(0)
    with taped() as recorder:
        recorder.whole = True
        value = loss(nn.Linear(3, 2)(torch.randn(N, 3)))
    tail = tail_of(recorder, value)
    assert tail is not None
    return list(crossed(tail, lengths))


def likelihood(z: torch.Tensor) -> torch.Tensor:
    return (z[:, 1:] + (z[:, 0] - Y).square() * torch.exp(-z[:, 1:])).mean()


def surrogate(z: torch.Tensor) -> torch.Tensor:
    ratio = (z[:, 0] - z[:, 0].detach() + 0.3 * Y).exp()
    advantage = (WEIGHTS - WEIGHTS.mean()) / WEIGHTS.std()
    return -torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()


def advantage_without_gradient(z: torch.Tensor) -> torch.Tensor:
    gained = Y - z[:, 1:].detach() * 2
    return -(z[:, 0].sigmoid().log() * (gained / gained.std())).mean()


@pytest.mark.parametrize(
    ("loss", "operation"),
    [
        pytest.param(likelihood, "mul", id="likelihood"),
        pytest.param(surrogate, "mul", id="surrogate"),
        pytest.param(advantage_without_gradient, "rsub", id="without gradient"),
        pytest.param(lambda z: (F.l1_loss(z[:, 0], Y, reduction="none") * WEIGHTS).mean(), "mul", id="weights"),
        pytest.param(lambda z: (F.l1_loss(z[:, 0], Y, reduction="none") * WEIGHTS).sum(0).mean(), "mul", id="by axes"),
        pytest.param(
            lambda z: (z[:, 0].view(N, 1, 1, 1) * (z + Y[:, None])[..., None]).square().mean(), "mul", id="images"
        ),
    ],
)
def test_pairs_that_nobody_tells_apart_are_found(loss: Loss, operation: str) -> None:
    found = asked(loss)
    assert operation in {one.operation for one in found} or {one.operation for one in found} == {"sub"}
    assert all(one.others == pytest.approx(1 - 1 / N, abs=0.02) for one in found)


@pytest.mark.parametrize(
    "loss",
    [
        pytest.param(lambda z: (z[:, 0].unsqueeze(1) - z[:, 0]).abs().mean() + (z[:, 0] - Y).abs().mean(), id="itself"),
        pytest.param(lambda z: ((z[:, :1] - Y).abs() * (Y[:, None] > Y)).sum(), id="ranks"),
        pytest.param(lambda z: F.cross_entropy(z[:, :1] * Y, torch.arange(N)), id="contrast"),
        pytest.param(lambda z: ((z[:, :1] - Y).square() * (1 - torch.eye(N))).mean(), id="without the diagonal"),
        pytest.param(lambda z: (z[:, :1] - Y[None]).abs().mean(), id="both with two axes"),
        pytest.param(lambda z: (F.l1_loss(z[:, 0], Y, reduction="none") * WEIGHTS[:, 0]).mean(), id="equal shapes"),
        pytest.param(lambda z: (z[:, :1] * torch.linspace(0, 1, N)).square().mean(), id="a constant"),
    ],
)
def test_pairs_that_are_meant_are_not(loss: Loss) -> None:
    assert not asked(loss)


def test_an_axis_made_in_the_same_line_is_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked(lambda z: (z[:, 0].unsqueeze(1) * 1.0 - Y).abs().mean())
    assert asked(lambda z: (z[:, 0].unsqueeze(1) - Y).abs().mean())
    monkeypatch.setattr(sites, "caller", lambda *_: Site(file="train.py", line=1))
    assert not asked(lambda z: (z[:, 0].unsqueeze(1) - Y).abs().mean())


def test_axes_of_another_length_than_the_examples_are_none_of_them() -> None:
    assert not asked(likelihood, (N + 1,))
