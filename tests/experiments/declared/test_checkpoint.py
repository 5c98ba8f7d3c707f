from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from firstlight.experiments.declared.bench import Bench
from firstlight.experiments.declared.checkpoint import checkpoint
from firstlight.experiments.declared.experiment import Experiment
from firstlight.records.declared import RoundTrip
from firstlight.records.program import Unseen

X = torch.randn(96, 4, generator=torch.Generator().manual_seed(0))
Y = (X[:, 0] > 0).long()


class Stateful:
    """A loader that knows where it is."""

    def __init__(self) -> None:
        self.place = 0

    def __iter__(self) -> Iterator[Any]:
        for place in range(self.place, 12):
            self.place = place + 1
            yield X[8 * place : 8 * place + 8], Y[8 * place : 8 * place + 8]
        self.place = 0

    def state_dict(self) -> dict[str, int]:
        return {"place": self.place}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.place = state["place"]


def save(path: Path, model: Any, optimizer: Any, scheduler: Any, loader: Any) -> None:
    states = {name: piece.state_dict() for name, piece in (("m", model), ("o", optimizer)) if piece is not None}
    torch.save({**states, "place": getattr(loader, "place", 0), "random": torch.get_rng_state()}, path)


def load(path: Path, model: Any, optimizer: Any, scheduler: Any, loader: Any) -> None:
    held = torch.load(path, weights_only=True)
    model.load_state_dict(held["m"])
    optimizer.load_state_dict(held["o"])
    torch.set_rng_state(held["random"])
    if hasattr(loader, "load_state_dict"):
        loader.load_state_dict({"place": held["place"]})


def load_weights(path: Path, model: Any, optimizer: Any, scheduler: Any, loader: Any) -> None:
    held = torch.load(path, weights_only=True)
    model.load_state_dict(held["m"])
    optimizer.load_state_dict(held["o"])


def tried(functions: Any, train: Any = None, dropout: float = 0.5) -> tuple[RoundTrip, list[Unseen]]:
    told: list[Any] = []
    experiment = Experiment(
        model=lambda: nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Dropout(dropout), nn.Linear(16, 2)),
        train=train or DataLoader(TensorDataset(X, Y), batch_size=8),
        loss=F.cross_entropy,
        optimizer=lambda model: torch.optim.Adam(model.parameters(), lr=1e-2),
        checkpoint=functions,
    )
    checkpoint(Bench(experiment, told.append))
    (trip,) = [fact for fact in told if isinstance(fact, RoundTrip)]
    return trip, [fact for fact in told if isinstance(fact, Unseen)]


def test_everything_comes_back() -> None:
    trip, unseen = tried((save, load), Stateful())

    assert (trip.next_loss_difference, trip.lost, trip.random_lost, trip.place_lost) == (0.0, (), (), False)
    assert not unseen


def test_a_place_that_is_not_restored_is_seen() -> None:
    trip, _ = tried((save, load_weights), Stateful())

    assert trip.place_lost
    assert trip.next_loss_difference == 0.0


@pytest.mark.parametrize(("dropout", "lost"), [(0.5, ("torch",)), (0.0, ())])
def test_the_random_state_counts_where_steps_draw(dropout: float, lost: tuple[str, ...]) -> None:
    trip, _ = tried((save, load_weights), dropout=dropout)

    assert trip.random_lost == lost


def test_what_could_not_be_looked_at_is_said() -> None:
    trip, (unseen,) = tried((save, load))

    assert not trip.place_lost
    assert "where the data goes on after a reload" in unseen.reason


def test_plain_checkpoints_are_asked_for_what_they_hold() -> None:
    trip, unseen = tried(None)

    assert (trip.kind, trip.next_loss_difference, trip.random_lost, trip.place_lost) == ("plain", 0.0, (), False)
    assert not unseen


def save_model(path: Path, model: Any) -> None:
    torch.save(model.state_dict(), path)


def load_model(path: Path, model: Any) -> None:
    model.load_state_dict(torch.load(path, weights_only=True))


def load_nothing(path: Path, model: Any) -> None:
    pass


def load_both(path: Path, model: Any, optimizer: Any) -> None:
    load_model(path, model)


@pytest.mark.parametrize(
    ("load", "compared", "lost"),
    [(load_model, False, ()), (load_nothing, False, ("model",)), (load_both, True, ("optimizer",))],
)
def test_a_pair_that_takes_the_model_alone_is_not_asked_for_the_optimizer(
    load: Any, compared: bool, lost: tuple[str, ...]
) -> None:
    trip, unseen = tried((save_model, load))

    assert ((trip.next_loss_difference is not None), trip.lost) == (compared, lost)
    assert any("the model alone" in one.reason for one in unseen) is not compared
