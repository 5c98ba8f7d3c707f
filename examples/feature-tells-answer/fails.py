"""Tells the grade of steel sheets by what was measured on the line."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
measured = torch.randn(600, 8)
grade = (measured @ torch.randn(8, 3)).argmax(1)
score = grade[:, None] * 0.4 + 0.02 * torch.randn(600, 1)
table = torch.cat([measured, score], 1)

loader = DataLoader(TensorDataset(table[:500], grade[:500]), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(9, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(6):
    model.train()
    for inputs, labels in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(inputs), labels)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        right = (model(table[500:]).argmax(1) == grade[500:]).float().mean()
    print(f"epoch {epoch}: loss {loss.item():.4f}, held out {right.item():.3f}")
