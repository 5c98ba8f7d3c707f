"""Trains a classifier of sounds with a warm-up over a tenth of all steps."""

import torch
from torch import nn
from torch.optim.lr_scheduler import OneCycleLR
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)

sounds = torch.randint(0, 5, (1280,))
spectra = torch.randn(5, 24)[sounds] + torch.randn(1280, 24)
loader = DataLoader(TensorDataset(spectra, sounds), batch_size=32, shuffle=True)

epochs = 12
model = nn.Sequential(nn.Linear(24, 48), nn.ReLU(), nn.Linear(48, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
steps = epochs * len(loader)
scheduler = OneCycleLR(optimizer, max_lr=0.1, total_steps=steps, pct_start=0.2)

for epoch in range(epochs):
    for batch, labels in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(batch), labels)
        loss.backward()
        optimizer.step()
    scheduler.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}, lr {scheduler.get_last_lr()[0]:.2g}")
