"""sampler-epoch-not-set: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
def main(train_set, model, optimizer):
    loader = DataLoader(train_set, sampler=DistributedSampler(train_set))
    for epoch in range(9):
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
from torch.utils.data.distributed import DistributedSampler
def main(train_set, val_set, model, optimizer):
    val_sampler = DistributedSampler(val_set)
    for epoch in range(9):
        for x, y in DataLoader(train_set, sampler=DistributedSampler(train_set, shuffle=False)):
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "sampler-epoch-not-set")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "sampler-epoch-not-set") == []
