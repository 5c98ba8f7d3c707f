"""probabilities-as-scores: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F
def step(model, x, y):
    p = F.softmax(model(x), dim=1)
    loss = F.cross_entropy(p, y)
    loss.backward()
""",
    """
import torch.nn as nn
model = nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=1))
criterion = nn.CrossEntropyLoss()
def step(x, y):
    return criterion(model(x), y)
step(1, 2)
""",
    """
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        layers = [nn.Linear(4, 8), nn.ReLU()]
        layers.append(nn.Linear(8, 3))
        layers.append(nn.Softmax(dim=-1))
        self.layers = nn.Sequential(*layers)
    def forward(self, x):
        return self.layers(x)
class Trainer:
    def __init__(self, model):
        self.model = model
        self.loss = nn.CrossEntropyLoss()
    def fit(self, x, y):
        self.loss(self.model(x), y).backward()
Trainer(Net()).fit(1, 2)
""",
    """
import torch, torch.nn as nn
criterion = nn.BCEWithLogitsLoss()
def step(model, x, y):
    criterion(torch.sigmoid(model(x)), y).backward()
""",
    """
import torch.nn as nn
criterion = nn.BCEWithLogitsLoss()
net = nn.Sequential(nn.Linear(3, 1), nn.Sigmoid(), nn.Flatten(0))
def step(x, y):
    out = net(x)
    loss = criterion(out, y)
    loss.backward()
""",
]
GOOD = [
    """
import torch.nn.functional as F
def step(model, x, y):
    logits = model(x)
    p = F.softmax(logits, dim=1)
    F.cross_entropy(logits, y).backward()
    return p
""",
    """
import torch, torch.nn.functional as F
def evaluate(model, x, y):
    with torch.no_grad():
        return F.cross_entropy(F.softmax(model(x), dim=1), y)
""",
    """
import torch.nn as nn, torch.nn.functional as F
class Net(nn.Module):
    def forward(self, x):
        if self.training:
            return x
        return F.softmax(x, dim=1)
net = Net()
def step(x, y):
    F.cross_entropy(net(x), y).backward()
""",
    """
import torch, torch.nn as nn
def step(model, x, y):
    nn.BCELoss()(torch.sigmoid(model(x)), y).backward()
    nn.BCEWithLogitsLoss()(model(x), y).backward()
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "probabilities-as-scores")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "probabilities-as-scores") == []


SNIPPET = """
model = nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=1))
def step(x, y):
    F.cross_entropy(model(x), y).backward()
"""


@pytest.mark.parametrize(
    ("head", "times"),
    [("", 1), ("from mine import *\n", 0), ("from mine import F\n", 0)],
    ids=["the usual names", "a star may bind them", "its own"],
)
def test_a_snippet_without_its_imports_is_read_as_usual(lint: Lint, head: str, times: int) -> None:
    found = lint(head + SNIPPET, "probabilities-as-scores")
    assert [finding.where.line for finding in found] == [4] * times
