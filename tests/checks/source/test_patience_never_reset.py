"""patience-never-reset: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

LOOP = """
import torch
def train(model, loader):
    best, waited = float("inf"), 0
    for epoch in range(100):
        loss = evaluate(model, loader)
        if loss < best:
            best = loss
            RESET
        else:
            waited += 1
            if waited >= 5:
                break
"""
STOPPER = """
import torch
class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.counter, self.best_score, self.early_stop = patience, 0, None, False
    def __call__(self, score):
        if self.best_score is not None and score < self.best_score:
            self.counter += 1
            if self.counter >= self.patience:
                self.early_stop = True
        else:
            self.best_score = score
            RESET
"""
BAD = [(LOOP, "pass", 7), (STOPPER, "pass", 7), (LOOP, "torch.save(model, 'best.pt')", 7)]
GOOD = [
    (LOOP, "waited = 0"),
    (LOOP, "best, waited = loss, 0"),
    (STOPPER, "self.counter = 0"),
    (STOPPER, "self.reset()"),
    (LOOP.replace("if waited >= 5", "if epoch >= 5"), "pass"),
    (LOOP.replace("best", "last"), "pass"),
]


@pytest.mark.parametrize(("source", "reset", "line"), BAD)
def test_it_is_seen(lint: Lint, source: str, reset: str, line: int) -> None:
    assert [one.where.line for one in lint(source.replace("RESET", reset), "patience-never-reset")] == [line]


@pytest.mark.parametrize(("source", "reset"), GOOD)
def test_it_is_not_seen(lint: Lint, source: str, reset: str) -> None:
    assert lint(source.replace("RESET", reset), "patience-never-reset") == []
