"""Trains a small network in mixed precision with clipped gradients."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)

features = torch.randn(1280, 12)
target = torch.sin(features[:, :1]) + features[:, 1:2] * features[:, 2:3]
loader = DataLoader(TensorDataset(features, target), batch_size=64, shuffle=True)

model = nn.Sequential(nn.Linear(12, 64), nn.GELU(), nn.Linear(64, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
scaler = torch.amp.GradScaler("cpu")

for epoch in range(4):
    for batch, wanted in loader:
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = nn.functional.mse_loss(model(batch), wanted)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    print(f"epoch {epoch}: loss {loss.item():.4f}")
