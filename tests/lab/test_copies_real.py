"""Verbs of the lab on a real script, from the command line to the files they leave."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from firstlight.cli.main import cli
from firstlight.store.event_log import read

SCRIPT = """import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(256, 8)
y = x @ torch.randn(8, 1)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(
    [{"params": [model.weight], "lr": 1e-5}, {"params": [model.bias], "lr": 2e-5}], lr=1e-5
)
schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.999)
for _ in range(200):
    rows = torch.randint(0, 256, (32,))
    loss = nn.functional.mse_loss(model(x[rows]), y[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
"""


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    found = tmp_path / "train.py"
    found.write_text(SCRIPT)
    return found


def test_a_rate_far_too_low_is_found_and_mended(script: Path) -> None:
    done = CliRunner().invoke(cli, ["lr-find", "--steps", "60", "--format", "json", script.name])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert 0.02 < told["suggested"] < 1.0  # the largest stable one is near 1, as the inputs have unit variance
    assert told["numbers"]["present"] == 1e-5
    assert told["answer"].startswith("Use a learning rate of about")
    assert any("ratios kept" in advice for advice in told["advice"])
    run = script.parent / told["run"]
    ramps = [event for event in read(run / "events.ndjson") if event["phase"] == "lr_finder"]
    assert len({event["timeline"] for event in ramps}) == 3
    assert any(event["phase"] == "lr_finder_complete" for event in read(run / "events.ndjson"))
    assert "learning rate" in (run / "lab.html").read_text()
    assert not list((script.parent / ".firstlight" / "lab").glob("*"))
