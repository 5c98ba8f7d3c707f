"""What Adam remembers and how large numbers are, read off a CUDA device: the same as on the host, and never a wait."""

from pathlib import Path

import pytest
import torch
from torch import nn

import firstlight as fl
from firstlight.guard.adam import EVERY, AdamMemory
from firstlight.guard.histograms import Histograms
from firstlight.guard.watch import Watch

pytestmark = [
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
    pytest.mark.filterwarnings("ignore:Synchronization debug mode is a prototype"),
]


def watched(device: str, fused: bool) -> Watch:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 16))
    x = torch.randn(32, 64)
    model.to(device)
    optimizer = torch.optim.AdamW(model.parameters(), fused=fused)
    for step in range(20):
        optimizer.zero_grad()
        (model(x.to(device)).square().mean() * (1 + step)).backward()
        if step < 19:
            optimizer.step()
    watch = Watch(0, optimizer, {"model": model})
    watch.step = EVERY[device] - 1
    return watch


@pytest.mark.parametrize("fused", [True, False])
def test_a_device_tells_what_the_host_tells(fused: bool) -> None:
    rows, counts = [], []
    for device in ("cpu", "cuda"):
        watch = watched(device, fused)
        moments, histograms = AdamMemory(watch), Histograms()
        moments.step_begins()
        histograms.step_begins(watch)
        torch.cuda.synchronize()
        (memory,) = moments.arrived()
        rows.append([number for row in memory.rows for number in row])
        counts.append([sum(counted.counts) for counted in histograms.arrived()])

    assert rows[0] == pytest.approx(rows[1], rel=0.05)
    assert counts[0] == pytest.approx(counts[1], abs=8)


def test_looking_never_waits(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 16)).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    x = torch.randn(32, 64, device="cuda")
    with fl.guard(model, optimizer, directory=tmp_path, every=20) as guard:
        for step in range(3 * EVERY["cuda"]):
            optimizer.zero_grad()
            model(x).square().mean().backward()
            torch.cuda.set_sync_debug_mode("error" if step > 1 else "default")
            optimizer.step()
            torch.cuda.set_sync_debug_mode("default")
    assert guard.shield.broken == {}
