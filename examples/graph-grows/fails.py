"""Pulls the embeddings of normal sensor readings towards a running centre."""

import torch
from torch import nn

torch.manual_seed(0)

encoder = nn.Linear(10, 4)
decoder = nn.Linear(4, 10)
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.02)
mixing = torch.randn(3, 10)
centre = torch.zeros(4)

for step in range(80):
    readings = torch.randn(64, 3) @ mixing
    code = encoder(readings)
    centre = 0.9 * centre + 0.1 * code.mean(dim=0)
    compact = (code - centre).pow(2).mean()
    loss = nn.functional.mse_loss(decoder(code), readings) + 0.1 * compact
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step}: loss {loss.item():.4f}")
