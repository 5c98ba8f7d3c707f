"""total-overwritten: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

COUNTED = """
import torch
@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    hits, seen = 0, 0
    for x, y in loader:
        COUNT
        seen += len(y)
    return hits / seen
"""
SUMMED = """
import torch
class Trainer:
    def test(self):
        self.loss = 0.0
        with torch.no_grad():
            for batch in self.loader:
                output = self.model(batch["x"])
                COUNT
        self.loss /= len(self.loader)
"""
TENSOR = """
import torch
right = torch.zeros(1)
for rows in torch.arange(100).split(10):
    with torch.no_grad():
        COUNT
print(100.0 * right / 100)
"""
BAD = [
    (COUNTED, "hits = (model(x).argmax(1) == y).sum().item()", 8),
    (SUMMED, 'self.loss = F.cross_entropy(output, batch["y"]).item()', 9),
    (TENSOR, "right = (model(x[rows]).argmax(1) == y[rows]).sum()", 6),
    (COUNTED.replace("hits, seen = 0, 0", "hits = seen = 0"), "hits = (model(x).argmax(1) == y).sum().item()", 8),
]
GOOD = [
    (COUNTED, "hits += (model(x).argmax(1) == y).sum().item()"),
    (COUNTED, "hits = hits + (model(x).argmax(1) == y).sum().item()"),
    (COUNTED, "if seen == 0:\n            hits = (model(x).argmax(1) == y).sum().item()"),
    (COUNTED.replace("hits / seen", "hits"), "hits = model(x).sum().item()"),
    (COUNTED.replace("hits, seen = 0, 0", "hits, seen = None, 0"), "hits = model(x).sum().item()"),
    (COUNTED.replace("seen += len(y)", "seen += hits"), "hits = (model(x).argmax(1) == y).sum().item()"),
    (COUNTED, "hits = len(loader.dataset)"),
    (SUMMED, 'self.loss += F.cross_entropy(output, batch["y"]).item()'),
    (TENSOR, "right += (model(x[rows]).argmax(1) == y[rows]).sum()"),
]


@pytest.mark.parametrize(("source", "count", "line"), BAD)
def test_it_is_seen(lint: Lint, source: str, count: str, line: int) -> None:
    assert [one.where.line for one in lint(source.replace("COUNT", count), "total-overwritten")] == [line]


@pytest.mark.parametrize(("source", "count"), GOOD)
def test_it_is_not_seen(lint: Lint, source: str, count: str) -> None:
    assert lint(source.replace("COUNT", count), "total-overwritten") == []
