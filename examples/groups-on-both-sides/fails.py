"""Tells from ten visits of each patient, divided at random, who is ill."""

import torch
from torch import nn

torch.manual_seed(0)
patients, visits, features = 60, 10, 16
usual = torch.randn(patients, features)
ill = (torch.randn(patients) + 0.5 * usual[:, 0] > 0).long()
x = (usual[:, None] + 0.3 * torch.randn(patients, visits, features)).flatten(0, 1)
y = ill.repeat_interleave(visits)
order = torch.randperm(len(x))
train, test = order[:450], order[450:]

model = nn.Sequential(nn.Linear(features, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(12):
    model.train()
    for rows in train[torch.randperm(len(train))].split(30):
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        right = (model(x[test]).argmax(1) == y[test]).float().mean().item()
    print(f"epoch {epoch}: {right:.3f}")
