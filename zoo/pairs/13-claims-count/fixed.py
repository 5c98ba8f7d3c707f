"""Claim frequency model: Poisson network with exposure, compared by Poisson deviance."""
import json

import numpy as np
import torch
from torch import nn


def policies(n, rng):
    age = rng.uniform(18, 80, n)
    power = rng.integers(4, 13, n)
    density = rng.lognormal(5, 1.2, n)
    bonus = rng.uniform(50, 150, n)
    exposure = rng.uniform(0.05, 1.0, n)
    rate = np.exp(-0.9 + 0.9 * (age < 25) - 0.3 * (age > 60) + 0.09 * (power - 8)
                  + 0.25 * (np.log(density) - 5) + 0.012 * (bonus - 100))
    claims = rng.poisson(rate * exposure)
    x = np.stack([(age - 49) / 18, (power - 8) / 2.6, (np.log(density) - 5) / 1.2, (bonus - 100) / 29], 1)
    return [torch.tensor(a, dtype=torch.float32) for a in (x, exposure, claims)]


def deviance(mu, y):
    term = torch.where(y > 0, y * torch.log(y.clamp(min=1) / mu), torch.zeros_like(y))
    return 2 * (term - (y - mu)).mean().item()


class FrequencyNet(nn.Module):
    """Returns the expected number of claims of a policy."""

    def __init__(self, n_in, hidden=(48, 24)):
        super().__init__()
        layers, w = [], n_in
        for h in hidden:
            layers += [nn.Linear(w, h), nn.ELU()]
            w = h
        self.trunk = nn.Sequential(*layers)
        self.head = nn.Linear(w, 1)

    def forward(self, x, exposure):
        return torch.exp(self.head(self.trunk(x)).squeeze(1)) * exposure


def fit(model, data, valid, epochs=14, batch=128, lr=2e-3):
    x, e, y = data
    criterion = nn.PoissonNLLLoss(log_input=False)
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.5, patience=2)
    for ep in range(epochs):
        model.train()
        for idx in torch.randperm(len(y)).split(batch):
            opt.zero_grad()
            loss = criterion(model(x[idx], e[idx]), y[idx])
            loss.backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            v = criterion(model(*valid[:2]), valid[2]).item()
        sched.step(v)
        print(f"epoch {ep + 1:2d}  valid nll {v:.4f}  lr {opt.param_groups[0]['lr']:.1e}")


if __name__ == "__main__":
    torch.manual_seed(12)
    rng = np.random.default_rng(12)
    train, valid, test = policies(14000, rng), policies(3000, rng), policies(5000, rng)
    net = FrequencyNet(train[0].shape[1])
    fit(net, train, valid)
    with torch.no_grad():
        mu = net(*test[:2])
    base = train[2].sum() / train[1].sum() * test[1]
    report = {"deviance": round(deviance(mu, test[2]), 4), "deviance_flat_rate": round(deviance(base, test[2]), 4),
              "predicted_total": round(mu.sum().item(), 1), "actual_total": test[2].sum().item()}
    print(json.dumps(report))
