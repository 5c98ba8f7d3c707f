"""schedule-never-steps: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

LOOP = """
import torch
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 10)
for epoch in range(100):
    for x, y in loader:
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    END
"""
CLASS = """
import torch
class Trainer:
    def __init__(self, model):
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        self.schedule = torch.optim.lr_scheduler.OneCycleLR(self.optimizer, 0.1, total_steps=100)
    def fit(self, model, loader):
        for x, y in loader:
            loss = (model(x) - y).square().mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            END
"""
BAD = [(LOOP, "pass", 5), (LOOP, "print(schedule.get_last_lr())", 5), (CLASS, "pass", 6)]
GOOD = [
    (LOOP, "schedule.step()"),
    (LOOP, "after_epoch(schedule)"),
    (LOOP, "if epoch > 50:\n        schedule.step()"),
    (LOOP.replace("schedule = ", "schedules = [").replace("optimizer, 10)", "optimizer, 10)]"), "pass"),
    (LOOP.replace("schedule = torch.optim.lr_scheduler.StepLR(optimizer, 10)", ""), "pass"),
    (CLASS, "self.schedule.step()"),
    (CLASS, "self.after_step(self.schedule)"),
]


@pytest.mark.parametrize(("source", "end", "line"), BAD)
def test_it_is_seen(lint: Lint, source: str, end: str, line: int) -> None:
    assert [one.where.line for one in lint(source.replace("END", end), "schedule-never-steps")] == [line]


@pytest.mark.parametrize(("source", "end"), GOOD)
def test_it_is_not_seen(lint: Lint, source: str, end: str) -> None:
    assert lint(source.replace("END", end), "schedule-never-steps") == []
