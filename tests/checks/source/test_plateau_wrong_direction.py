"""plateau-wrong-direction: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

from torch.optim.lr_scheduler import ReduceLROnPlateau
def train(optimizer, val_loss):
    sched = ReduceLROnPlateau(optimizer, mode="max")
    sched.step(val_loss)
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

from torch.optim.lr_scheduler import ReduceLROnPlateau
def train(optimizer, val_loss, val_acc, mode, thing):
    ReduceLROnPlateau(optimizer).step(val_loss)
    ReduceLROnPlateau(optimizer, "max").step(val_acc)
    ReduceLROnPlateau(optimizer, mode).step(val_acc)
    ReduceLROnPlateau(optimizer).step(thing)
    ReduceLROnPlateau(optimizer).step(1 - val_acc)
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "plateau-wrong-direction")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "plateau-wrong-direction") == []
