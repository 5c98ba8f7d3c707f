"""Healthy experiments of unusual kinds: each has something that would be a fault in a plain classifier."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl
from firstlight.records.finding import Severity

GENERATOR = torch.Generator().manual_seed(0)
X = torch.randn(512, 16, generator=GENERATOR)


@pytest.fixture(autouse=True)
def _somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def experiment(model: Callable[[], nn.Module], *tensors: torch.Tensor, **pieces: Any) -> fl.Experiment:
    loader: DataLoader[Any] = DataLoader(TensorDataset(*tensors), batch_size=32, shuffle=True)
    usual: dict[str, Any] = {"optimizer": lambda m: torch.optim.Adam(m.parameters(), lr=2e-3)}
    return fl.Experiment(model=model, train=loader, **(usual | pieces))


def mlp(given: int, gives: int) -> Callable[[], nn.Module]:
    return lambda: nn.Sequential(nn.Linear(given, 64), nn.Tanh(), nn.Linear(64, gives))


def equation() -> fl.Experiment:
    """u' = -u with u(0) = 1: the loss takes a gradient on its way."""

    def step(model: nn.Module, batch: Any) -> torch.Tensor:
        time = batch[0].clone().requires_grad_(True)
        value = model(time)
        (slope,) = torch.autograd.grad(value.sum(), time, create_graph=True)
        start = model(torch.zeros(1, 1)) - 1
        loss: torch.Tensor = (slope + value).square().mean() + start.square().mean()
        return loss

    return experiment(mlp(1, 1), torch.rand(512, 1, generator=GENERATOR), step=step)


def two_views() -> fl.Experiment:
    """Two views of an example are alike before any training, so the first loss is low."""

    def step(model: nn.Module, batch: Any) -> torch.Tensor:
        views = [F.normalize(model(batch[0] + 0.1 * torch.randn_like(batch[0])), dim=1) for _ in range(2)]
        return F.cross_entropy(views[0] @ views[1].T / 0.2, torch.arange(len(batch[0])))

    return experiment(mlp(16, 32), X, step=step)


def denoising() -> fl.Experiment:
    """The targets are drawn anew each time: two examples cannot be learnt by heart."""

    def step(model: nn.Module, batch: Any) -> torch.Tensor:
        noise = torch.randn_like(batch[0])
        return F.mse_loss(model(0.5 * batch[0] + noise), noise)

    return experiment(mlp(16, 16), X, step=step)


class Sampling(nn.Module):
    """A variational autoencoder that draws in eval mode too; its loss has two terms and no known floor."""

    def __init__(self) -> None:
        super().__init__()
        self.encode, self.decode = nn.Linear(16, 8), nn.Linear(4, 16)

    def forward(self, seen: torch.Tensor) -> tuple[torch.Tensor, ...]:
        mean, log_variance = self.encode(seen).chunk(2, dim=1)
        return self.decode(mean + (0.5 * log_variance).exp() * torch.randn_like(mean)), mean, log_variance


def autoencoder() -> fl.Experiment:
    def step(model: nn.Module, batch: Any) -> torch.Tensor:
        made, mean, log_variance = model(batch[0])
        divergence = 0.5 * (mean.square() + log_variance.exp() - 1 - log_variance).sum(1).mean()
        loss: torch.Tensor = F.mse_loss(made, batch[0], reduction="none").sum(1).mean() + divergence
        return loss

    return experiment(Sampling, X, step=step)


class Reversing(nn.Module):
    """Says a sequence backwards, told what it has said so far: the first answer is the last it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(30, 32), nn.Parameter(0.1 * torch.randn(9, 32))
        self.read = nn.Transformer(32, 4, 1, 1, 64, dropout=0.0, batch_first=True)
        self.say = nn.Linear(32, 30)

    def forward(self, given: torch.Tensor, said: torch.Tensor) -> torch.Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(said.shape[1])
        sources, targets = (self.words(ids) + self.places[: ids.shape[1]] for ids in (given, said))
        answers: torch.Tensor = self.say(self.read(sources, targets, tgt_mask=mask))
        return answers.transpose(1, 2)


def reversing() -> fl.Experiment:
    given = torch.randint(3, 30, (320, 8), generator=torch.Generator().manual_seed(1))
    said = torch.cat([torch.ones(320, 1, dtype=torch.long), given.flip(1)], dim=1)
    return experiment(Reversing, given, said[:, :-1], said[:, 1:], loss=F.cross_entropy)


class Opaque:
    """A batch that only `step` can take apart."""

    def __init__(self, inputs: torch.Tensor, target: torch.Tensor) -> None:
        self.inputs, self.target = inputs, target


@dataclass(frozen=True)
class Fields:
    inputs: torch.Tensor
    target: torch.Tensor


def batches_of(kind: Callable[..., Any]) -> fl.Experiment:
    return fl.Experiment(
        model=mlp(16, 3),
        train=[kind(rows, rows[:, :3].argmax(1)) for rows in X.split(32)],
        step=lambda model, batch: F.cross_entropy(model(batch.inputs), batch.target),
        optimizer=lambda m: torch.optim.Adam(m.parameters(), lr=3e-3),
    )


@pytest.mark.parametrize("kind", [Opaque, Fields])
def test_batches_may_be_objects(kind: Callable[..., Any]) -> None:
    report = fl.preflight(batches_of(kind), profile="standard")

    assert [f"{f.id} {f.saw}" for f in report.findings if f.severity is not Severity.NOTE] == []
    learnt = next(check for check in report.checks if check.name == "examples-not-learnable")
    assert learnt.status == "clean"


@pytest.mark.parametrize(
    "made", [equation, two_views, denoising, autoencoder, reversing], ids=lambda made: made.__name__
)
def test_a_healthy_experiment_is_left_alone(made: Callable[[], fl.Experiment]) -> None:
    report = fl.preflight(made(), profile="quick")

    assert [f"{f.id} {f.saw}" for f in report.findings if f.severity is not Severity.NOTE] == []


def test_a_copy_that_cannot_be_changed_says_nothing_of_the_pieces() -> None:
    """Inputs of another origin are not in the graph that the equation's loss looks for."""
    report = fl.preflight(equation(), profile="standard", select=["piece-raises", "pairing-is-lost"])

    assert report.findings == ()
