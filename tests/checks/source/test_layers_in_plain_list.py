"""layers-in-plain-list: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = {"a": nn.Linear(2, 2), "b": nn.Linear(2, 2)}
""",
    """
import torch, torch.nn as nn, torch.nn.functional as F

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(3))
class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.blocks = []
        for _ in range(n):
            self.blocks.append(Block())
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = [nn.Linear(2, 2)]
        self.blocks = nn.ModuleList(self.blocks)
        self.acts = [nn.ReLU(), nn.Dropout(0.1)]
        self.one = nn.Linear(2, 2)
        self.two = nn.Linear(2, 2)
        self.both = [self.one, self.two]
        self.sizes = [1, 2]
class Holder:
    def __init__(self):
        self.models = [nn.Linear(2, 2)]
""",
    """
import torch, torch.nn as nn, torch.nn.functional as F

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = []
        for i in range(3):
            block = nn.Linear(2, 2)
            self.add_module(f"b{i}", block)
            self.blocks.append(block)
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "layers-in-plain-list")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "layers-in-plain-list") == []
