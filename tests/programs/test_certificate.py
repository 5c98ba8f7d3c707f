"""The learning certificate of whole programs, in many styles."""

import json
from collections.abc import Callable
from typing import Any

import pytest

HEAD = """import torch
from torch import nn
from torch.nn import functional as F
torch.manual_seed(0)
def batch(n=32):
    x = torch.randn(n, 8)
    return x, x[:, :4].argmax(1)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
"""
PLAIN = """
for _ in range(240):
    x, y = batch()
    loss = {loss}
    optimizer.zero_grad(); loss.backward(); optimizer.step()
"""
STILL = """
optimizer = torch.optim.SGD(net.parameters(), lr=0.0)
"""
CLOSURE = """
for _ in range(80):
    x, y = batch()
    def closure():
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        return loss
    optimizer.step(closure)
"""
TENSORS = """
weight, bias = torch.zeros(8, 4, requires_grad=True), torch.zeros(4, requires_grad=True)
for _ in range(80):
    x, y = batch()
    p = torch.softmax(x @ weight + bias, 1)
    loss = -(F.one_hot(y, 4) * torch.log(p)).sum(1).mean()
    loss.backward()
    with torch.no_grad():
        for t in (weight, bias):
            t -= 0.5 * t.grad
            t.grad = None
"""
LIGHTNING = """
import lightning as L
from torch.utils.data import DataLoader, TensorDataset
class Lit(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = net
    def training_step(self, pair, index):
        return F.cross_entropy(self.net(pair[0]), pair[1])
    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-2)
data = TensorDataset(*batch(32 * 80))
trainer = L.Trainer(max_epochs=1, logger=False, enable_checkpointing=False, enable_progress_bar=False,
                    enable_model_summary=False, accelerator="cpu")
trainer.fit(Lit(), DataLoader(data, 32))
"""
SEQUENCES = """
reader = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.Adam(reader.parameters(), lr=1e-2)
for _ in range(150):
    labels = torch.randint(1, 4, (16, 3))
    spoken = torch.stack([labels, torch.zeros_like(labels)], 2).reshape(16, 6)
    x = F.one_hot(spoken, 4).float() + 0.3 * torch.randn(16, 6, 4)
    times, lengths = torch.full((16,), 6), torch.full((16,), 3)
    loss = nn.CTCLoss()(reader(x {much}).log_softmax(-1).transpose(0, 1), labels, times, lengths)
    optimizer.zero_grad(); loss.backward(); optimizer.step()
"""
GAN = """
critic = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for _ in range(60):
    loss = F.binary_cross_entropy_with_logits(critic(torch.randn(32, 2) + 2), torch.ones(32, 1))
    loss = loss + F.binary_cross_entropy_with_logits(critic(torch.randn(32, 2)), torch.zeros(32, 1))
    optimizer.zero_grad(); loss.backward(); optimizer.step()
"""


@pytest.fixture
def sign(judge: Callable[..., Any]) -> Callable[[str], dict[str, Any]]:
    def last(body: str) -> dict[str, Any]:
        checked = judge(HEAD + body, profile="quick", steps=240)
        log = (checked.folder / checked.report["subject"]["run"] / "events.ndjson").read_text()
        told = [json.loads(line).get("observed") or {} for line in log.splitlines()]
        assert not [record for record in told if record.get("fact") == "unseen"]
        return [record for record in told if record.get("fact") == "learning-sign"][-1]

    return last


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(PLAIN.format(loss="F.cross_entropy(net(x), y)"), id="torch-loss"),
        pytest.param(PLAIN.format(loss="-torch.log_softmax(net(x), 1)[torch.arange(32), y].mean()"), id="by-hand"),
        pytest.param(CLOSURE, id="closure"),
        pytest.param(TENSORS, id="plain-tensors"),
        pytest.param(LIGHTNING, id="lightning"),
        pytest.param(SEQUENCES.format(much=""), id="sequences"),
    ],
)
def test_a_program_that_learns_is_certified(sign: Callable[[str], dict[str, Any]], body: str) -> None:
    found = sign(body)
    assert found["status"] == "certified", found
    assert found["last"] < found["first"]
    assert found["last"] < found["without_inputs"]
    assert found["grown_low"] > 0


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(PLAIN.format(loss="F.cross_entropy(net(x), y[torch.randperm(32)])"), id="answers-shuffled"),
        pytest.param(PLAIN.format(loss="F.cross_entropy(net(x * 0), y)"), id="inputs-erased"),
        pytest.param(SEQUENCES.format(much="* 0"), id="sequences-unheard"),
        pytest.param(STILL + PLAIN.format(loss="F.cross_entropy(net(x), y)"), id="nothing-moves"),
    ],
)
def test_one_that_cannot_shows_no_sign(sign: Callable[[str], dict[str, Any]], body: str) -> None:
    assert sign(body)["status"] == "no-sign"


def test_examples_learnt_by_heart_are_not_learning(sign: Callable[[str], dict[str, Any]]) -> None:
    fixed = "\nx, y = torch.randn(32, 8), torch.randint(4, (32,))\nbatch = lambda: (x, y)\n"
    found = sign(fixed + PLAIN.format(loss="F.cross_entropy(net(x), y)"))
    assert found["status"] == "not-certified"
    assert "trained on before" in found["reason"]


CHANGED = """
inputs, answers = torch.randn(96, 8), torch.randint(4, (96,))
data = torch.utils.data.TensorDataset(inputs, answers)
def batches():
    while True:
        for x, y in torch.utils.data.DataLoader(data, 32, shuffle=True): yield x, y
supply = batches()
def from_loader():
    return next(supply)
def by_places():
    chosen = torch.randint(96, (32,))
    return inputs[chosen], answers[chosen]
def batch():
    x, y = {way}()
    x = x.clone()
    x[:, int(torch.randint(8, ()))] = 0
    return x + 0.02 * torch.randn_like(x), y
net = nn.Sequential(nn.Linear(8, 256), nn.ReLU(), nn.Linear(256, 4))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
"""


@pytest.mark.parametrize("way", ["from_loader", "by_places"])
def test_neither_are_those_that_are_changed_in_each_pass(sign: Callable[[str], dict[str, Any]], way: str) -> None:
    found = sign(CHANGED.format(way=way) + PLAIN.format(loss="F.cross_entropy(net(x), y)"))
    assert found["status"] == "not-certified"
    assert "trained on before" in found["reason"]


def test_a_loss_without_answers_is_not_certified(sign: Callable[[str], dict[str, Any]]) -> None:
    assert sign(GAN)["status"] == "not-certified"


SLOW = """import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 2))
optimizer = torch.optim.Adam(net.parameters(), lr={rate})
for _ in range(6000):
    x = torch.randint(0, 2, (128, 20)).float()
    y = (x[:, :6].sum(1) % 2).long()
    loss = nn.functional.cross_entropy(net(2 * x - 1), y)
    optimizer.zero_grad(); loss.backward(); optimizer.step()
"""
"""Parity: nothing shows for some hundreds of steps, and then all of it is learnt."""


def test_what_shows_no_sign_yet_is_watched_for_longer(check: Callable[..., Any]) -> None:
    checked = check(SLOW.format(rate=1e-3))

    assert checked.report["coverage"]["steps"] > 600
    assert (checked.report["verdict"], checked.loud()) == ("clean", [])
    assert checked.report["assurance"]["learns"]["status"] == "certified"


def test_the_steps_one_asks_for_are_all_there_are(check: Callable[..., Any]) -> None:
    checked = check(SLOW.format(rate=1e-3).replace("256", "16"), "--steps", "200")

    assert checked.report["coverage"]["steps"] == 200
