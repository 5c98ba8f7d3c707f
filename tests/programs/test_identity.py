"""Observation changes nothing: the same seeds give bit-identical weights with and without it."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

MLP = """
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
def step(x, y):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
"""
CNN = """
model = nn.Sequential(nn.Unflatten(1, (1, 4, 4)), nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True),
                      nn.Flatten(), nn.Dropout(0.1), nn.Linear(128, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.05, total_steps=100)
def step(x, y):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad(set_to_none=False)
    loss.backward()
    optimizer.step()
    schedule.step()
"""
ATTENTION = """
layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)
model = nn.Sequential(nn.Unflatten(1, (4, 4)), nn.Linear(4, 16), layer, nn.Flatten(), nn.Linear(64, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
def step(x, y):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
"""
LBFGS = """
model = nn.Sequential(nn.Linear(16, 8), nn.Tanh(), nn.Linear(8, 4))
optimizer = torch.optim.LBFGS(model.parameters(), max_iter=5)
def step(x, y):
    def closure():
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        return loss
    optimizer.step(closure)
"""
COMPILED = """
net = nn.Sequential(nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 4))
model = torch.compile(net, backend="aot_eager")
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
def step(x, y):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
"""
PROGRAM = """import hashlib, random, sys
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
random.seed(0); torch.manual_seed(0)
x = torch.randn(256, 16); y = torch.randint(4, (256,))
loader = DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True)
{model}
for epoch in range(3):
    for xb, yb in loader:
        step(xb, yb)
digest = hashlib.sha256()
for p in list(model.parameters()) + list(model.buffers()):
    digest.update(p.detach().reshape(-1).view(torch.uint8).numpy().tobytes())
print("digest", digest.hexdigest(), torch.rand(1).item(), random.random())
"""


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(MLP, id="mlp"),
        pytest.param(CNN, id="cnn"),
        pytest.param(ATTENTION, id="attention-autocast"),
        pytest.param(LBFGS, id="lbfgs"),
        pytest.param(COMPILED, id="compiled"),
    ],
)
def test_weights_and_random_state_are_bit_identical(judge: Callable[..., Any], tmp_path: Path, model: str) -> None:
    source = PROGRAM.format(model=model)
    checked = judge(source, profile="quick", steps=1000)
    assert checked.report["coverage"]["steps"] == 48
    assert not [text for text in checked.report["coverage"]["limits"] if "not observed" in text]
    under_observation = (tmp_path / checked.report["subject"]["run"] / "output.log").read_text()
    plain = subprocess.run(
        [sys.executable, "train.py"],
        cwd=tmp_path,
        env={"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "digest" in plain.stdout
    assert under_observation.splitlines()[-1] == plain.stdout.splitlines()[-1]
