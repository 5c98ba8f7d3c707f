"""Rows of parts become rows of the whole."""

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from firstlight.guard.statistics.host import row_of
from firstlight.guard.statistics.sharded import together

PROGRAM = """
import os, sys, torch, firstlight as fl
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

dist.init_process_group("gloo")
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 3))
whole = nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 3))
whole.load_state_dict(model.state_dict())
x = torch.randn(8, 6)
whole(x).square().mean().backward()
wanted = torch.stack([p.grad.norm() for p in whole.parameters()]).norm().item()
fully_shard(model, mesh=init_device_mesh("cpu", (2,)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with fl.guard(model, optimizer, directory=sys.argv[1]) as guard:
    model(x).square().mean().backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 100.0)
    optimizer.step()
assert abs(guard.window[0].clip_norm / wanted - 1) < 1e-4, (guard.window[0].clip_norm, wanted)
assert not guard.shield.broken, guard.shield.broken
print("norms", guard.window[0].grad_norm, wanted, flush=True)
dist.destroy_process_group()
"""


@pytest.mark.parametrize("bad", [False, True])
def test_the_rows_of_two_parts_are_those_of_the_whole(bad: bool) -> None:
    torch.manual_seed(0)
    whole = torch.randn(101) + 3
    whole[5] = 0.0
    if bad:
        whole[7] = math.nan
    parts = [whole[:60], whole[60:]]
    local = [torch.tensor([row_of(part)]) for part in parts]
    counts = [torch.tensor([float(part.numel())]) for part in parts]
    seen: list[torch.Tensor] = []
    parted = torch.tensor([True])

    def collect(tensor: torch.Tensor, _by: str) -> None:
        seen.append(tensor.clone())

    together(local[1], counts[1], parted, collect)
    other = iter(seen)

    def reduce(tensor: torch.Tensor, by: str) -> None:
        theirs = next(other)
        tensor.copy_(tensor + theirs if by == "sum" else torch.maximum(tensor, theirs))

    found = together(local[0], counts[0], parted, reduce)[0].tolist()

    assert found[:7] == pytest.approx(row_of(whole)[:7], rel=1e-5)


def test_what_is_whole_everywhere_stays_as_it_is() -> None:
    rows = torch.tensor([row_of(torch.randn(10))])

    assert torch.equal(together(rows, torch.tensor([10.0]), torch.tensor([False]), lambda _t, _b: None), rows)


def test_under_fsdp_the_norm_is_that_of_the_whole(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    environment = {
        **os.environ,
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": "0",
        "WORLD_SIZE": "2",
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", "train.py"]
    done = subprocess.run(
        [*command, str(tmp_path)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )

    assert done.returncode == 0, done.stderr[-2000:]
    norms = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("norms")]
    assert len(norms) == 2
    for seen, wanted in norms:
        assert float(seen) == pytest.approx(float(wanted), rel=1e-4)
