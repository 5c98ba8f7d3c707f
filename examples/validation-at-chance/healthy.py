"""Sorts points; the held-out ones are numbered alike."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl

torch.manual_seed(0)
x = torch.randn(1280, 16)
y = (x @ torch.randn(16, 4)).argmax(dim=1)
loader = DataLoader(TensorDataset(x[:1024], y[:1024]), batch_size=32, shuffle=True)
held_out, wanted = x[1024:], y[1024:]
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

with fl.guard(model, optimizer) as guard:
    for epoch in range(10):
        for batch, labels in loader:
            loss = nn.functional.cross_entropy(model(batch), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            answers = model(held_out)
            accuracy = (answers.argmax(dim=1) == wanted).float().mean()
            guard.log(val_loss=nn.functional.cross_entropy(answers, wanted), val_acc=accuracy)
print("last loss", loss.item())
