"""Each fault, planted for real: a copy of this process trains a small program with it, and says what became of it."""

import importlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from firstlight.diagnosis.causes import CAUSES
from firstlight.experiments.faults import BY_NAME, FAULTS, FLOWS, PLANT
from firstlight.experiments.inside.faults.plant import PLANTS
from firstlight.experiments.inside.forking import fork
from firstlight.judge.mutants import hurts
from firstlight.observe.inside.observer import observe
from firstlight.observe.logged import read_log
from firstlight.observe.spec import Spec
from firstlight.records.timelines import FaultPlanted

for late in ("torch._dynamo", "firstlight.observe.inside.taps"):
    importlib.import_module(late)  # once here, rather than in every copy
EPOCHS = 12
Losses = list[float]
Program = Callable[[], Losses]


def classifier() -> Losses:
    """Something of everything: dropout, batch normalisation, clipping, evaluation, a loader that shuffles."""
    torch.manual_seed(0)
    centres = 3 * torch.randn(4, 8)
    y = torch.arange(4).repeat_interleave(40)
    data = TensorDataset(centres[y] + torch.randn(160, 8), y)
    loader = DataLoader(data, batch_size=32, shuffle=True)
    hidden = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.1))
    model = nn.Sequential(hidden, nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 4))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    losses: Losses = []
    for _ in range(EPOCHS):
        model.train()
        for inputs, targets in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(inputs), targets)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            losses.append(loss.item())
        model.eval()
        with torch.no_grad():
            model(data.tensors[0])
    return losses


def regression() -> Losses:
    """Two terms, one number for each example, plain SGD with momentum, no loader."""
    torch.manual_seed(0)
    x = torch.randn(64, 6)
    y = x @ torch.randn(6, 1)
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.5)
    losses: Losses = []
    for _ in range(5 * EPOCHS):
        optimizer.zero_grad()
        answer = model(x)
        loss = F.mse_loss(answer, y) + F.l1_loss(answer, y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


OF_REGRESSION = {"loss-broadcast", "loss-term-dropped", "momentum-extreme"}
QUIET = {"train-mode-in-evaluation", "gradients-cleared-early", "step-missing"}
"""What leaves the loss of each step as it would be, or stops the updates at which steps are counted."""


def observed(program: Program, folder: Path, fault: str) -> tuple[bool, Losses]:
    """Whether the fault took effect, and the losses; nothing of it is left in this process."""
    folder.mkdir(exist_ok=True)
    answer = folder / "losses.json"
    pid = fork()
    if pid == 0:
        try:
            observe(_spec(folder, fault))
            answer.write_text(json.dumps(program()), encoding="utf-8")
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    planted = read_log(folder / "events.ndjson")[0].of(FaultPlanted) if (folder / "events.ndjson").exists() else []
    return bool(planted), json.loads(answer.read_text(encoding="utf-8")) if answer.exists() else []


def _spec(folder: Path, fault: str) -> Spec:
    return Spec(
        run_id="test",
        run=str(folder),
        events=str(folder / "events.ndjson"),
        scratch=str(folder / "scratch"),
        cwd=str(folder),
        owner=os.getpid(),
        steps=1000,
        seconds=600.0,
        full_steps=0,
        sample_every=1000,
        taps=("loaders", "clipping"),
        contain=False,
        fault=fault,
        extensions=(PLANT,) if fault else (),
    )


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[Program, Losses]:
    folder = tmp_path_factory.mktemp("plain")
    return {program: observed(program, folder / program.__name__, "")[1] for program in (classifier, regression)}


@pytest.mark.parametrize("name", BY_NAME)
def test_a_fault_takes_effect(name: str, plain: dict[Program, Losses], tmp_path: Path) -> None:
    program = regression if name in OF_REGRESSION else classifier
    planted, losses = observed(program, tmp_path, name)
    assert planted
    assert name in QUIET or losses != plain[program]


@pytest.mark.parametrize(
    "name",
    ["inputs-zeroed", "targets-permuted", "targets-stale", "activation-twice", "rate-thousandth", "units-dead"],
)
def test_it_hurts(name: str, plain: dict[Program, Losses], tmp_path: Path) -> None:
    assert hurts(observed(classifier, tmp_path, name)[1], plain[classifier])


@pytest.mark.parametrize("name", ["loss-term-dropped", "batches-in-order", "clip-tiny", "dropout-heavy"])
def test_a_program_without_what_it_needs_is_left_as_it_is_and_soon_ended(name: str, tmp_path: Path) -> None:
    program = classifier if name == "loss-term-dropped" else regression
    planted, losses = observed(program, tmp_path, name)
    assert not planted
    assert losses == []  # it was stopped before its end


def test_every_fault_can_be_planted_and_every_plant_is_told_of() -> None:
    assert list(PLANTS) == [fault.name for fault in FAULTS]
    assert {fault.flow for fault in FAULTS} == set(FLOWS)
    assert {cause for fault in FAULTS for cause in fault.causes} <= {cause.slug for cause in CAUSES}
