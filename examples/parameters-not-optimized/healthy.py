"""Adapts a pretrained network to a new task with five classes, training only the head."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Network(nn.Module):
    def __init__(self, classes=100):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU())
        self.head = nn.Linear(32, classes)

    def forward(self, x):
        return self.head(self.backbone(x))


torch.manual_seed(0)
labels = torch.randint(0, 5, (960,))
inputs = torch.randn(5, 20)[labels] + torch.randn(960, 20)
loader = DataLoader(TensorDataset(inputs, labels), batch_size=48, shuffle=True)

model = Network()
model.backbone.requires_grad_(False)
model.head = nn.Linear(32, 5)
optimizer = torch.optim.AdamW(model.head.parameters(), lr=1e-2)

for epoch in range(5):
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
