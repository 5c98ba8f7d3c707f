"""training-not-shuffled: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

from torch.utils.data import DataLoader
def main(train_set, model, optimizer):
    loader = DataLoader(train_set, batch_size=8, shuffle=False)
    for epoch in range(3):
        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

from torch.utils.data import DataLoader
def main(train_set, test_set, model, optimizer, sampler, flag):
    loader = DataLoader(train_set, 8, True)
    other = DataLoader(train_set, 8, sampler=sampler)
    third = DataLoader(train_set, 8, shuffle=flag)
    for epoch in range(3):
        for loader in (loader, other, third):
            for x, y in loader:
                optimizer.zero_grad()
                F.mse_loss(model(x), y).backward()
                optimizer.step()
        for x, y in DataLoader(test_set):
            model(x)
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "training-not-shuffled")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "training-not-shuffled") == []
