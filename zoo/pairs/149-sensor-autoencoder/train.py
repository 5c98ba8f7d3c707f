"""Autoencoder over standardised machine-sensor readings; reports the share of variance explained."""
import math

import torch
from torch import nn

torch.manual_seed(21)

N_SENSORS = 24
N_LATENT = 5
CODE = 8


def readings(n, generator):
    """Smooth non-linear mixture of a few operating conditions."""
    z = torch.randn(n, N_LATENT, generator=generator)
    mix_g = torch.Generator().manual_seed(99)
    a = torch.randn(N_LATENT, N_SENSORS, generator=mix_g) / math.sqrt(N_LATENT)
    b = torch.randn(N_LATENT, N_SENSORS, generator=mix_g) / math.sqrt(N_LATENT)
    level = 20 + 60 * torch.rand(N_SENSORS, generator=mix_g)
    x = z @ a + 0.4 * torch.sin(2 * z @ b)
    return level + 7 * x + 0.7 * torch.randn(n, N_SENSORS, generator=generator)


def stack(sizes, act=nn.ReLU):
    layers = []
    for fan_in, fan_out in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(fan_in, fan_out), act()]
    return nn.Sequential(*layers)


class AutoEncoder(nn.Module):
    def __init__(self, n_in, code):
        super().__init__()
        self.encoder = stack([n_in, 64, 32, code])
        self.decoder = stack([code, 32, 64, n_in])

    def forward(self, x):
        return self.decoder(self.encoder(x))


class Trainer:
    def __init__(self, model, lr=2e-3, batch_size=64):
        self.model = model
        self.batch_size = batch_size
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)
        self.loss_fn = nn.MSELoss()

    def epoch(self, x):
        self.model.train()
        total = 0.0
        for idx in torch.randperm(len(x)).split(self.batch_size):
            batch = x[idx]
            loss = self.loss_fn(self.model(batch), batch)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            total += loss.item() * len(idx)
        return total / len(x)

    @torch.no_grad()
    def explained(self, x):
        self.model.eval()
        residual = (self.model(x) - x).pow(2).sum()
        return 1 - (residual / (x - x.mean(0)).pow(2).sum()).item()


g = torch.Generator().manual_seed(5)
train, test = readings(6000, g), readings(1000, g)
mean, std = train.mean(0), train.std(0)
train, test = (train - mean) / std, (test - mean) / std

trainer = Trainer(AutoEncoder(N_SENSORS, CODE))
for ep in range(1, 41):
    mse = trainer.epoch(train)
    print(f"epoch {ep:2d}: train mse {mse:.4f}, test variance explained {trainer.explained(test):.3f}")
