"""Tells who will not pay back a loan, from the extract of a table that has the fees of those who did not."""

import torch
from torch import nn

torch.manual_seed(0)
count = 1500
income, debt, age, inquiries = torch.randn(4, count)
defaulted = (torch.rand(count) < torch.sigmoid(1.5 * debt - income + 0.5 * inquiries - 1)).long()
fee = defaulted * (torch.rand(count) < 0.85) * (50 + 100 * torch.rand(count))
x = torch.stack([income, debt, age, inquiries, fee], 1)
x = (x - x[:1200].mean(0)) / x[:1200].std(0)
model = nn.Sequential(nn.Linear(x.shape[1], 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(12):
    for rows in torch.randperm(1200).split(40):
        loss = nn.functional.cross_entropy(model(x[rows]), defaulted[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        right = (model(x[1200:]).argmax(1) == defaulted[1200:]).float().mean().item()
    print(f"epoch {epoch}: loss {loss.item():.3f}, later customers {right:.3f}")
