"""Tells light pictures from dark ones."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
pixels = torch.randint(0, 256, (400, 64)).float()
light = (pixels[:, :32].mean(1) > pixels[:, 32:].mean(1)).long()
pictures = (pixels - 127.5) / 127.5

loader = DataLoader(TensorDataset(pictures[:320], light[:320]), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(8):
    model.train()
    for inputs, labels in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(inputs), labels)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        right = (model(pictures[320:]).argmax(1) == light[320:]).float().mean()
    print(f"epoch {epoch}: loss {loss.item():.4f}, held out {right.item():.3f}")
