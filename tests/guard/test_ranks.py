"""Two processes: weights that part are told, weights that are averaged are not; one run, however it is guarded."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "ranks-part"


def flags(program: str, folder: Path) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "firstlight", "run", "--no-check", str(EXAMPLES / program)]
    done = subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True, timeout=300)
    (events,) = folder.glob(".firstlight/runs/*/events.ndjson")
    found = [json.loads(line) for line in events.read_text().splitlines()]
    assert {event["rank"] for event in found if event["phase"] == "step"} == {0, 1}, done.stderr
    return [event for event in found if event["phase"] == "finding"]


@pytest.mark.timeout(300)
def test_weights_that_part_are_told_once_by_rank_0(tmp_path: Path) -> None:
    (flag,) = flags("fails.py", tmp_path)

    assert (flag["rule_id"], flag["rank"]) == ("FL970", 0)
    assert ".bias` differs between 2 ranks" in flag["message"]


@pytest.mark.timeout(300)
def test_averaged_weights_are_left_alone(tmp_path: Path) -> None:
    assert flags("healthy.py", tmp_path) == []


PROGRAM = """
import sys, torch, firstlight as fl, torch.distributed as dist
from torch import nn
dist.init_process_group("gloo")
torch.manual_seed(0)
model = nn.parallel.DistributedDataParallel(nn.Linear(4, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with fl.guard(model, optimizer) as guard:
    for step in range(6):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(torch.randn(8, 4)), torch.randint(2, (8,))).backward()
        optimizer.step()
assert not guard.shield.broken, guard.shield.broken
dist.destroy_process_group()
"""


@pytest.mark.timeout(300)
def test_guards_of_all_ranks_share_a_run_whose_log_is_sound(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", "train.py"]
    done = subprocess.run(launch, check=False, cwd=tmp_path, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr[-2000:]
    (run,) = (tmp_path / ".firstlight" / "runs").iterdir()
    found = [json.loads(line) for line in (run / "events.ndjson").read_text().splitlines()]
    assert {event["rank"] for event in found if event["phase"] == "step"} == {0, 1}
    assert json.loads((run / "report.json").read_text())["coverage"]["steps"] == 6
    command = [sys.executable, "-m", "firstlight", "log", "validate", str(run / "events.ndjson")]
    judged = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert judged.returncode == 0, judged.stdout
