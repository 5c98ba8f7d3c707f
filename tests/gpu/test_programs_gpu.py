"""Whole programs on a CUDA device: sharded, captured, replayed. Skipped without one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")

SHARDED = """
import sys, torch, firstlight as fl
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

dist.init_process_group("nccl")
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 50), nn.Tanh(), nn.Linear(50, 3)).cuda()
whole = nn.Sequential(nn.Linear(64, 50), nn.Tanh(), nn.Linear(50, 3)).cuda()
whole.load_state_dict(model.state_dict())
x = torch.randn(8, 64, device="cuda")
whole(x).square().mean().backward()
wanted = torch.stack([p.grad.norm() for p in whole.parameters()]).norm().item()
fully_shard(model, mesh=init_device_mesh("cuda", (1,)))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.001, fused=True)
with fl.guard(model, optimizer, directory=sys.argv[1]) as guard:
    for _ in range(12):
        optimizer.zero_grad()
        model(x).square().mean().backward()
        guard.clip_grad_norm_(model.parameters(), 100.0)
        optimizer.step()
    torch.cuda.synchronize()
assert not guard.shield.broken, guard.shield.broken
print("norms", guard.window[0].grad_norm, wanted, flush=True)
dist.destroy_process_group()
"""

BAD = """
import torch
from torch import nn

class Unit(nn.Module):
    def forward(self, x):
        return x / x.norm(dim=1, keepdim=True)

torch.manual_seed(0)
model = nn.Sequential(Unit(), nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2)).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, fused=True)
x = torch.rand(640, 4) + 0.1
x[333] = 0
y = (x.sum(1) > 2.2).long()
for start in range(0, 640, 16):
    loss = nn.functional.cross_entropy(model(x[start:start + 16].cuda()), y[start:start + 16].cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def python(*words: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *words],
        cwd=cwd,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


def test_under_fsdp_the_norm_is_that_of_the_whole(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SHARDED)
    done = python(
        "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=1", "train.py", str(tmp_path), cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr[-3000:]
    seen, wanted = next(line.split()[1:] for line in done.stdout.splitlines() if line.startswith("norms"))
    assert float(seen) == pytest.approx(float(wanted), rel=1e-4)


@pytest.mark.parametrize("keep", ["device", "host"])
def test_a_bad_step_is_captured_and_done_again(keep: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(BAD)
    run = python("-m", "firstlight", "run", "--no-check", "--keep", keep, "--keep-every", "1", "train.py", cwd=tmp_path)
    (artifact,) = (tmp_path / ".firstlight" / "runs").glob("*/artifacts/*turns-nonfinite")
    assert json.loads((artifact / "manifest.json").read_text())["step"] == 20, run.stderr
    again = python("-m", "firstlight", "replay", str(artifact), cwd=tmp_path)
    assert "train.py:7" in again.stdout, again.stdout + again.stderr
    assert "a division by 1 exact zero" in again.stdout
    (script,) = tmp_path.glob(".firstlight/runs/*/original/repro.py")
    repro = python(str(script), cwd=tmp_path)
    assert "nan" in repro.stdout, repro.stdout + repro.stderr


VARIATIONAL = """
import torch
from torch import nn

torch.set_default_device("cuda")
torch.manual_seed(0)
given = torch.rand(40, 2).repeat_interleave(20, 0) @ torch.rand(2, 12) / 2
memory = nn.GRU(12, 16, batch_first=True)
answer = nn.Sequential(nn.Dropout(0.1), nn.Linear(16, 12), nn.Sigmoid())
optimizer = torch.optim.Adam([*memory.parameters(), *answer.parameters()], lr=1e-2)
for epoch in range(12):
    for rows in torch.randperm(800).split(32):
        told = answer(memory(given[rows][:, None])[0][:, 0])
        loss = nn.functional.binary_cross_entropy(told, given[rows], reduction="sum")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


def test_a_loss_that_refuses_values_on_the_default_device_is_checked_to_the_end(tmp_path: Path) -> None:
    """A refusal on the device would take the program with it; recurrent layers have no backward there in eval mode."""
    (tmp_path / "train.py").write_text(VARIATIONAL, encoding="utf-8")
    words = [sys.executable, "-m", "firstlight", "check", "--format", "json", "train.py"]
    done = subprocess.run(words, check=False, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    report = json.loads(done.stdout)
    assert report["verdict"] == "clean", done.stdout[-2000:]
    assert not [limit for limit in report["coverage"]["limits"] if "not observed" in limit or "not reach" in limit]
