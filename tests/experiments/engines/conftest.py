"""Real jobs: a small seeded script, run whole by whoever does the jobs."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firstlight.experiments.engines.job import Job, Made, job
from firstlight.experiments.plan import Order
from firstlight.observe.spec import Spec
from firstlight.observe.target import parse
from firstlight.store.run_directory import RunDirectory

SCRIPT = """import os, random, signal, sys, time
import torch
from torch import nn
torch.manual_seed(0)
x = torch.randn(64, 8)
y = x.sum(1, keepdim=True)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
BEFORE
for step in range(1000):
    rows = torch.randint(64, (16,))
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x[rows] + 0.1 * random.random()), y[rows])
    loss.backward()
    optimizer.step()
    AFTER
"""
Prepare = Callable[..., Job]


def script(before: str = "", after: str = "pass") -> str:
    return SCRIPT.replace("BEFORE", before).replace("AFTER", after)


def spec_in(folder: Path) -> Spec:
    run = RunDirectory(folder / "run")
    run.path.mkdir()
    return Spec(
        run_id="r",
        run=str(run.path),
        events=str(run.events),
        scratch=str(run.scratch),
        cwd=str(folder),
        owner=os.getpid(),
        steps=600,
        seconds=20.0,
        full_steps=8,
        sample_every=25,
        taps=("loaders",),
        seed=7,
    )


@pytest.fixture
def prepare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Prepare:
    """The job of running a script of this text, with one order, from a directory of its own."""
    monkeypatch.chdir(tmp_path)
    spec = spec_in(tmp_path)

    def prepared(source: str, *words: str, startup: float = 60.0, **order: Any) -> Job:
        (tmp_path / "train.py").write_text(source, encoding="utf-8")
        target = parse((*words, "train.py"), module=bool(words))
        given = {"name": "same-again", "steps": 20, "seconds": 20.0, **order}
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        return job(Order(**given), target, spec, environment, startup)

    return prepared


def losses_of(made: Made, rank: int = 0) -> list[float]:
    seen = [json.loads(line).get("observed") or {} for line in made.events.splitlines()]
    return [record["value"] for record in seen if record.get("fact") == "backward" and record.get("rank", 0) == rank]


def left_behind(job: Job) -> list[str]:
    return sorted(path.name for path in Path(job.spec.run).parents[1].rglob("*"))
