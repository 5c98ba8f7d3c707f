"""Sorts points; the error counts the wrong answers."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl

torch.manual_seed(0)
x = torch.randn(768, 16)
y = (x @ torch.randn(16, 4)).argmax(dim=1)
loader = DataLoader(TensorDataset(x[:512], y[:512]), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

with fl.guard(model, optimizer) as guard:
    for epoch in range(10):
        for batch, labels in loader:
            loss = nn.functional.cross_entropy(model(batch), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            answers = model(x[512:])
            error = (answers.argmax(dim=1) != y[512:]).float().mean()
            guard.log(val_loss=nn.functional.cross_entropy(answers, y[512:]), val_error=error)
print("last loss", loss.item())
