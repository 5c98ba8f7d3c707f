"""A variational autoencoder whose divergence term is brought in slowly."""

import torch
from torch import nn


class Vae(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Linear(8, 8)
        self.decode = nn.Linear(4, 8)

    def forward(self, x):
        mean, log_variance = self.encode(x).chunk(2, dim=1)
        code = mean + torch.randn_like(mean) * torch.exp(0.5 * log_variance)
        divergence = 0.5 * (mean**2 + log_variance.exp() - 1 - log_variance).sum(dim=1).mean()
        return self.decode(code), divergence


torch.manual_seed(0)
mixing = torch.randn(3, 8)
model = Vae()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

for step in range(200):
    x = 0.3 * torch.randn(64, 3) @ mixing
    restored, divergence = model(x)
    weight = 0.03 * max(0.0, (step - 80) / 40)
    loss = nn.functional.mse_loss(restored, x) + weight * divergence
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step}: loss {loss.item():.3f}, divergence {divergence.item():.3f}")
