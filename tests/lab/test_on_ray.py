"""Runs made as Ray tasks, on a Ray of this machine: the same numbers as without it, to the last digit."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from firstlight.experiments.engines.warm import WarmParent
from firstlight.lab import ablate, compare, seeds
from firstlight.lab.compare import CompareQuestion
from firstlight.lab.seeds import SeedsQuestion
from firstlight.lab.trials import RunChoices, Runner
from firstlight.observe import target as targets
from firstlight.records.lab import LabReport
from firstlight.store.run_directory import RunDirectory

SCRIPT = """import sys
import torch
from torch import nn

x = torch.randn(64, 8)
y = x.sum(1, keepdim=True)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=float(sys.argv[1]))
for step in range(20):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"val_loss: {nn.functional.mse_loss(model.eval()(x), y).item():.9g}")
"""


@contextmanager
def runner(folder: Path, engine: str, warm: WarmParent) -> Iterator[Runner]:
    """Runs of an earlier command would be recalled, whoever made them: none is."""
    choices = RunChoices(engine=engine, jobs=2, fresh=True)
    made = Runner(RunDirectory(folder / engine), choices, lambda _text: None, warm.start)
    try:
        yield made
    finally:
        made.end()


def asked(bench: Runner) -> list[LabReport]:
    slow, fast = (targets.parse(("train.py", rate), False, "compare") for rate in ("0.01", "0.05"))
    question = CompareQuestion(seeds=1)
    return [
        seeds.of_runs(slow, SeedsQuestion(seeds=2, sources=()), bench),
        compare.of_runs([("slow", slow), ("fast", fast)], question, bench),
        ablate.of_runs(slow, question, bench, ("dropout",)),
    ]


def test_seeds_compare_and_ablate_tell_the_same_on_ray(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warm: WarmParent
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(SCRIPT)
    with runner(tmp_path, "local", warm) as local:
        here = asked(local)
    with runner(tmp_path, "ray", warm) as on_ray:
        there = asked(on_ray)
        assert on_ray.recalled == 0
    for one, other in zip(here, there, strict=True):
        assert (one.answer, one.numbers, one.tables) == (other.answer, other.numbers, other.tables)
    assert here[0].numbers["runs"] == 2
    assert here[1].numbers["gain"] != 0
    assert here[2].tables[0].rows[0][1] != 0
