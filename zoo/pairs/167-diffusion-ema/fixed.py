"""DDPM on the two-moons density; samples are drawn from the EMA weights."""
import copy
import math

import torch
import torch.nn as nn
from sklearn.datasets import make_moons

T = 50


class EMA:
    def __init__(self, model, decay=0.99):
        self.decay = decay
        self.shadow = copy.deepcopy(model).eval().requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        for s, p in zip(self.shadow.parameters(), model.parameters()):
            s.lerp_(p, 1 - self.decay)


class Denoiser(nn.Module):
    def __init__(self, width=128, freqs=8):
        super().__init__()
        self.register_buffer("f", math.pi * 2.0 ** torch.arange(freqs) / 8)
        self.net = nn.Sequential(nn.Linear(2 + 2 * freqs, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(),
                                 nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 2))

    def forward(self, x, t):
        a = (t.float() / T)[:, None] * self.f
        return self.net(torch.cat([x, a.sin(), a.cos()], dim=1))


class Diffusion:
    def __init__(self):
        self.beta = torch.linspace(1e-3, 0.15, T)
        self.alpha = 1 - self.beta
        self.abar = self.alpha.cumprod(0)

    def loss(self, model, x0):
        t = torch.randint(0, T, (len(x0),))
        eps = torch.randn_like(x0)
        ab = self.abar[t][:, None]
        return (model(ab.sqrt() * x0 + (1 - ab).sqrt() * eps, t) - eps).pow(2).mean()

    @torch.no_grad()
    def sample(self, model, n):
        x = torch.randn(n, 2)
        for i in reversed(range(T)):
            eps = model(x, torch.full((n,), i))
            x = (x - self.beta[i] / (1 - self.abar[i]).sqrt() * eps) / self.alpha[i].sqrt()
            if i > 0:
                x = x + self.beta[i].sqrt() * torch.randn_like(x)
        return x


def energy_distance(a, b):
    return (2 * torch.cdist(a, b).mean() - torch.cdist(a, a).mean() - torch.cdist(b, b).mean()).item()


def get_data(n, seed):
    x, _ = make_moons(n, noise=0.05, random_state=seed)
    x = torch.tensor(x, dtype=torch.float32)
    return (x - torch.tensor([0.5, 0.25])) / torch.tensor([0.87, 0.5])


def main():
    torch.manual_seed(0)
    train, test = get_data(4000, 0), get_data(1000, 1)
    model, diffusion = Denoiser(), Diffusion()
    ema = EMA(model)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(1, 31):
        total = 0.0
        batches = train[torch.randperm(len(train))].split(128)
        for x in batches:
            loss = diffusion.loss(model, x)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
            ema.update(model)
        if epoch % 3 == 0:
            ed = energy_distance(diffusion.sample(ema.shadow, 1000), test)
            print(f"epoch {epoch:2d} eps mse {total / len(batches):.4f} sample energy distance {ed:.4f}")


if __name__ == "__main__":
    main()
