"""graph-kept-in-total: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F
model = nn.Linear(4, 2)

def step(x, y, args):
    loss = F.mse_loss(model(x), y)
    loss.backward()
    return loss / args.length

def train(loader, args):
    total = 0
    for x, y in loader:
        loss = step(x, y, args)
        total += loss
""",
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(model, loader, optimizer):
    losses = []
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss)
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F
model = nn.Linear(4, 2)

def step(x, y, args):
    loss = 0
    for part in range(3):
        loss += F.mse_loss(model(x), y)
    loss.backward()
    return loss.data[0] / args.length

def train(loader, args):
    total = 0
    for x, y in loader:
        loss = step(x, y, args)
        total += loss
""",
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(model, loader, optimizer):
    losses, total = [], 0
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        losses.append(loss.detach())
        total += loss.data
        with torch.no_grad():
            total += loss
""",
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(model, loader, optimizer, pairs):
    for x, y in loader:
        total = 0
        for a, b in pairs:
            loss = F.mse_loss(model(a), b)
            total += loss
        total.backward()
""",
    """
import torch
from torch import nn
model = nn.Linear(4, 2)
def train(loader):
    losses = []
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        losses.append(loss)
        loss.backward(retain_graph=True)
        losses[-1].backward()
""",
    """
import torch
from torch import nn
model = nn.Linear(4, 2)
def train(loader):
    losses = []
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        losses.append(loss)
        total = torch.stack(losses).mean()
        loss.backward(retain_graph=True)
        total.backward()
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "graph-kept-in-total")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "graph-kept-in-total") == []
