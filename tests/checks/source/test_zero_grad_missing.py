"""zero-grad-missing: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(model, train_loader, optimizer, criterion):
    for x, y in train_loader:
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
""",
    """
import torch, torch.nn as nn, torch.nn.functional as F

def step(model, opt, x, y):
    loss = F.mse_loss(model(x), y)
    loss.backward()
    opt.step()
def main(model, loader):
    opt = torch.optim.Adam(model.parameters())
    opt.zero_grad()
    for x, y in loader:
        step(model, opt, x, y)
""",
    """
import torch, torch.nn as nn, torch.nn.functional as F

class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    def fit(self, loader):
        for epoch in range(10):
            self.optimizer.zero_grad()
            for x, y in loader:
                self.model(x).sum().backward()
                self.optimizer.step()
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(model, train_loader, optimizer, criterion):
    for x, y in train_loader:
        model.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()
""",
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(model, loader, optimizer):
    for x, y in loader:
        def closure():
            optimizer.zero_grad()
            loss = F.mse_loss(model(x), y)
            loss.backward()
            return loss
        optimizer.step(closure)
""",
    """
import torch, torch.nn as nn, torch.nn.functional as F

class Trainer(Unknown):
    def fit(self, loader):
        for x, y in loader:
            self.prepare_grads(self.optimizer)
            self.model(x).sum().backward()
            self.optimizer.step()
""",
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(model, loader, params):
    for x, y in loader:
        F.mse_loss(model(x), y).backward()
        for p in params:
            p.data -= 0.1 * p.grad
            p.grad = None
""",
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(model, loader, optimizer, k):
    for i, (x, y) in enumerate(loader):
        (F.mse_loss(model(x), y) / k).backward()
        if (i + 1) % k == 0:
            optimizer.step()
            optimizer.zero_grad()
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "zero-grad-missing")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "zero-grad-missing") == []
