"""Nothing of an experiment is touched by its preflight, however that ends: bit for bit."""

import copy
import random
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

import firstlight as fl


class Counting(IterableDataset[Any]):
    """Remembers how often it was read."""

    def __init__(self) -> None:
        self.reads = 0

    def __iter__(self) -> Iterator[Any]:
        for _ in range(64):
            self.reads += 1
            yield torch.randn(4), torch.randint(0, 2, ())


def everything(module: nn.Module, optimizer: Any, loader: Any) -> list[Any]:
    """All that could have changed, as values to compare."""
    tensors = [t.detach().clone() for t in [*module.parameters(), *module.buffers()]]
    gradients = [None if p.grad is None else p.grad.clone() for p in module.parameters()]
    modes = [part.training for part in module.modules()]
    hooks = [len(part._forward_hooks) + len(part._forward_pre_hooks) for part in module.modules()]
    random_states = [torch.get_rng_state(), numpy.random.get_state()[1].tolist(), random.getstate()]  # type: ignore[index]
    switches = [torch.is_grad_enabled(), torch.get_default_dtype(), torch.get_num_threads()]
    place = [loader.generator.get_state(), loader.num_workers, getattr(loader.dataset, "reads", None)]
    global_hooks = len(torch.nn.modules.module._global_forward_hooks)
    state = copy.deepcopy(optimizer.state_dict())
    return [tensors, gradients, modes, hooks, random_states, switches, place, global_hooks, state]


def same(one: Any, other: Any) -> bool:
    if isinstance(one, torch.Tensor):
        return torch.equal(one, other)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return bool(one == other)


class Pieces:
    """A module in the midst of training, its optimizer, and a loader with a place of its own."""

    def __init__(self, dataset: Any) -> None:
        torch.manual_seed(3)
        self.module = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 2))
        self.optimizer = torch.optim.AdamW(self.module.parameters(), lr=1e-2)
        generator = torch.Generator().manual_seed(5)
        shuffles = not isinstance(dataset, IterableDataset)
        self.loader: DataLoader[Any] = DataLoader(dataset, batch_size=8, shuffle=shuffles, generator=generator)
        batch, target = next(iter(self.loader))
        F.cross_entropy(self.module(batch), target).backward()
        self.optimizer.step()
        self.module[1].eval()

    def experiment(self, **changes: Any) -> fl.Experiment:
        pieces: dict[str, Any] = {
            "model": self.module,
            "optimizer": self.optimizer,
            "train": self.loader,
            "val": self.loader,
            "loss": nn.CrossEntropyLoss(),
        }
        return fl.Experiment(**(pieces | changes))

    def unchanged_by(self, act: Callable[[], object]) -> bool:
        before = everything(self.module, self.optimizer, self.loader)
        with suppress(KeyboardInterrupt):
            act()
        return same(before, everything(self.module, self.optimizer, self.loader))


@pytest.fixture(params=["forked", "in this process"])
def room(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Where a process cannot be forked the same must hold; the reason given is one that a GPU would give."""
    monkeypatch.chdir(tmp_path)
    torch.set_num_threads(1)
    if request.param != "forked":
        monkeypatch.setattr("firstlight.experiments.declared.rooms.why_not_fork", lambda: "CUDA is initialised")
    return str(request.param)


def tensors() -> TensorDataset:
    inputs = torch.randn(64, 4, generator=torch.Generator().manual_seed(1))
    return TensorDataset(inputs, (inputs[:, 0] > 0).long())


@pytest.mark.parametrize("data", [tensors, Counting], ids=["map-style", "iterable"])
def test_everything_is_as_before(room: str, data: Callable[[], Any]) -> None:
    pieces = Pieces(data())

    assert pieces.unchanged_by(lambda: fl.preflight(pieces.experiment(), profile="quick"))


def test_also_when_a_factory_hands_out_the_module_in_training(room: str) -> None:
    pieces = Pieces(tensors())
    experiment = pieces.experiment(model=lambda: pieces.module, optimizer=lambda m: torch.optim.SGD(m.parameters()))

    assert pieces.unchanged_by(lambda: fl.preflight(experiment, profile="quick"))


def test_also_when_a_piece_fails(room: str) -> None:
    def failing(output: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        torch.set_default_dtype(torch.float64)
        torch.set_grad_enabled(False)
        random.random()
        raise ValueError("no loss today")

    pieces = Pieces(tensors())

    assert pieces.unchanged_by(lambda: fl.preflight(pieces.experiment(loss=failing), profile="quick"))


# Python itself drops an interrupt that falls into a finaliser; nothing may have changed then either.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.usefixtures("interruptible")
def test_also_when_it_is_interrupted(room: str) -> None:
    """By the signal of Ctrl-C, half a second in."""
    pieces = Pieces(tensors())
    timer = threading.Timer(0.5, lambda: signal.raise_signal(signal.SIGINT))
    timer.daemon = True

    def act() -> None:
        timer.start()
        try:
            fl.preflight(pieces.experiment(), profile="quick")
        finally:
            timer.cancel()
            timer.join()  # an interrupt that is on its way arrives here, not in what follows

    assert pieces.unchanged_by(act)


def test_without_forks_all_probes_still_answer(room: str, tmp_path: Path) -> None:
    report = fl.preflight(Pieces(tensors()).experiment(), profile="quick")
    answered = {check.name for check in report.checks if check.status in ("clean", "ill")}

    assert {"checkpoint-loses-state", "examples-not-learnable", "initial-loss-off"} <= answered
    assert ("gradients-never-cleared" in answered) is (room == "forked")
