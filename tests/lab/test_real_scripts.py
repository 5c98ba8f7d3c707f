"""Verbs of the lab on a real script, from the command line to the files they leave."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firstlight.cli.main import cli, run
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
    assert 0.2 < told["numbers"]["stable_at_start"] < 1.0  # two over twice the variance of what a batch holds
    assert told["answer"].startswith("Use a learning rate of about")
    assert any("ratios kept" in advice for advice in told["advice"])
    run = script.parent / told["run"]
    ramps = [event for event in read(run / "events.ndjson") if event["phase"] == "lr_finder"]
    assert len({event["timeline"] for event in ramps}) == 3
    assert any(event["phase"] == "lr_finder_complete" for event in read(run / "events.ndjson"))
    assert "learning rate" in (run / "lab.html").read_text()
    assert not list((script.parent / ".firstlight" / "lab").glob("*"))


BY_HAND_ALONE = """import torch

x = torch.randn(64, 4)
w = torch.zeros(4, requires_grad=True)
for _ in range(40):
    ((x @ w - x.sum(1)) ** 2).mean().backward()
    w.data -= 0.1 * w.grad
    w.grad = None
"""


def test_a_program_that_steps_by_hand_is_said_to_have_no_rate_to_steer(script: Path) -> None:
    script.write_text(BY_HAND_ALONE)
    done = CliRunner().invoke(cli, ["lr-find", "--format", "json", script.name])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["answer"].startswith("The program steps no torch optimizer")


ATTENTION = """import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed({seed})
data = TensorDataset(torch.randn(64, 6, 8), torch.randint(0, 3, (64,)))


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.{name} = nn.Linear(8, 24)
        self.out = nn.Linear(8, 3)

    def forward(self, x):
        q, k, v = self.{name}(x).chunk(3, -1)
        {attend}
        return self.out(mixed.mean(1))


model = Head()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in DataLoader(data, 16, shuffle=True):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
BY_HAND = "mixed = (q @ k.transpose(1, 2)).softmax(-1) @ v"
FUSED = "mixed = nn.functional.scaled_dot_product_attention(q, k, v{more})"


def test_an_implementation_that_scales_is_told_from_one_that_does_not(script: Path) -> None:
    script.write_text(ATTENTION.format(seed=1, name="qkv", attend=BY_HAND))
    for name, more in (("scaled.py", ""), ("same.py", ", scale=1.0")):
        text = ATTENTION.format(seed=2, name="packed", attend=FUSED.format(more=more))
        (script.parent / name).write_text(text)
    told = json.loads(CliRunner().invoke(cli, ["against", "--format", "json", "train.py", "scaled.py"]).stdout)
    assert told["numbers"]["same"] is False
    assert told["numbers"]["differs_at"].endswith("train.py:17")
    assert told["numbers"]["reference_differs_at"].endswith("scaled.py:17")
    alike = json.loads(CliRunner().invoke(cli, ["against", "--format", "json", "train.py", "same.py"]).stdout)
    assert alike["numbers"]["same"] is True, alike["answer"]
    assert any("matched by shape" in limit for limit in alike["limits"])


LOOP = """loader = torch.utils.data.DataLoader(list(zip(x, y)), 32, shuffle=True)
for xb, yb in (batch for _ in range(30) for batch in loader):"""


def test_a_surface_is_walked_and_a_part_of_the_data_held_out(script: Path) -> None:
    """One script for two verbs: a linear problem, fed by a loader, whose answers are noisy."""
    linear = (
        SCRIPT.replace("y = x @ torch.randn(8, 1)", "y = x @ torch.randn(8, 1) + 0.3 * torch.randn(256, 1)")
        .replace("for _ in range(200):", LOOP)
        .replace("    rows = torch.randint(0, 256, (32,))\n", "")
        .replace("x[rows]", "xb")
        .replace("y[rows]", "yb")
        .replace("1e-5", "0.05")
        .replace("2e-5", "0.05")
    )
    script.write_text(linear.replace("model(xb)", "model(nn.functional.dropout(xb))"))
    walked = CliRunner().invoke(cli, ["surface", "--steps", "60", "--format", "json", script.name])
    assert walked.exit_code == 0, walked.output
    told = json.loads(walked.stdout)
    assert "falls without a barrier" in told["answer"]  # as everything convex does
    assert told["numbers"]["at_half_length"] > told["numbers"]["centre"]
    path = told["plots"][0]["curves"][0]["y"]
    bends = [before - 2 * at + after for before, at, after in zip(path, path[1:], path[2:], strict=False)]
    assert bends == pytest.approx([bends[0]] * len(bends), rel=0.05)  # one parabola over four epochs, dropout and all
    script.write_text(linear)
    parts = CliRunner().invoke(cli, ["curve", "--steps", "100", "--format", "json", script.name])
    assert parts.exit_code == 0, parts.output
    rows = json.loads(parts.stdout)["tables"][0]["rows"]
    assert [row[0] for row in rows] == [26, 51, 102, 205]
    assert rows[0][1] > rows[0][3]  # few examples are learnt by heart, and the others are not
    assert rows[0][1] > rows[-1][1]


STAGES = """import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(256, 4)
data = TensorDataset(x, 2 * x[:, :1] ** 2)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(4, 1)
        self.head = nn.Linear(1, 1)

    def forward(self, x):
        return self.head(self.encoder(x))


model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=0.03)
for epoch in range(30):
    for x, y in DataLoader(data, 64, shuffle=True):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""
TRUTH = """def codes(made, batch):
    return batch[0][:, :1] ** 2
"""


def test_what_limits_a_model_is_found_by_larger_copies_and_by_perfect_stages(script: Path) -> None:
    """A square that a linear model cannot express; an encoder that gave it would leave nothing to be learnt."""
    script.write_text(STAGES)
    (script.parent / "truth.py").write_text(TRUTH)

    def asked(oracle: str) -> Any:
        done = CliRunner().invoke(cli, ["ceiling", "--format", "json", "--oracle", oracle, script.name])
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    told = asked("encoder=truth:codes")
    numbers = told["numbers"]
    assert numbers["the_program"] > 2 * numbers["the_program_wider"]
    assert numbers["the_program"] > 10 * numbers["with_a_perfect_encoder"]
    assert numbers["free_predictions"] < 0.1
    assert "a larger model would help" in told["answer"]
    assert "that stage is the bottleneck" in told["answer"]
    absent = asked("decoder=truth:codes")
    assert "with_a_perfect_decoder" not in absent["numbers"]
    assert any("no model that was called has a module `decoder`" in limit for limit in absent["limits"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["lr-find"], "nothing to lr-find"),
        (["ceiling", "--oracle", "encoder", "train.py"], "is not STAGE=MODULE:FUNCTION"),
        (["lr-find", "absent.py"], "absent.py"),
        (["curve", "package:experiment"], "is a declared experiment"),
        (["surface", "--loss", "nowhere"], "does not name a function"),
        (["surface", "--loss", "math:pi", "train.py"], "leave out the script"),
        (["against", "train.py", "absent.py"], "absent.py"),
        (["against", "train.py", "'"], "cannot be read as a command"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(
    script: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    assert said in capsys.readouterr().err
