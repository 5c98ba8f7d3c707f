"""Regression with intervals: the evaluation deliberately keeps dropout on and averages many passes;
the input layer is frozen random Fourier features; a jump to a higher learning rate restarts each cycle."""
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def field(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, (n, 3))
    y = np.sin(3 * x[:, 0]) * x[:, 1] + 0.7 * np.cos(4 * x[:, 2]) + rng.normal(0, 0.15, n)
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)


class FourierNet(nn.Module):
    def __init__(self, features=128, hidden=128):
        super().__init__()
        self.project = nn.Linear(3, features)
        nn.init.normal_(self.project.weight, std=1.2)
        nn.init.uniform_(self.project.bias, 0, 2 * np.pi)
        self.project.requires_grad_(False)
        self.body = nn.Sequential(
            nn.Linear(2 * features, hidden), nn.SiLU(), nn.Dropout(0.05),
            nn.Linear(hidden, hidden), nn.SiLU(), nn.Dropout(0.05), nn.Linear(hidden, 2),
        )

    def forward(self, x):
        a = self.project(x)
        mean, log_std = self.body(torch.cat([a.sin(), a.cos()], 1)).unbind(1)
        return mean, log_std.clamp(-4, 2)


def nll(mean, log_std, y):
    return (log_std + 0.5 * ((y - mean) * (-log_std).exp()) ** 2).mean()


@torch.no_grad()
def predict(model, x, passes=30):
    model.train()
    means, log_stds = zip(*(model(x) for _ in range(passes)))
    means = torch.stack(means)
    noise = torch.stack(log_stds).exp().square().mean(0)
    return means.mean(0), (means.var(0) + noise).sqrt()


def report(model, x, y):
    mean, std = predict(model, x)
    r2 = 1 - ((mean - y) ** 2).mean() / y.var()
    inside = ((y - mean).abs() < 1.645 * std).float().mean()
    return r2.item(), inside.item()


def main():
    torch.manual_seed(3)
    train, (x_va, y_va) = field(4000, 1), field(1000, 2)
    loader = DataLoader(TensorDataset(*train), 64, shuffle=True)
    model = FourierNet()
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=2e-3, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=10, T_mult=2, eta_min=1e-5)
    for epoch in range(70):
        total = 0.0
        for i, (x, y) in enumerate(loader):
            loss = nll(*model(x), y)
            for p in model.parameters():
                p.grad = None
            loss.backward()
            optimizer.step()
            schedule.step(epoch + i / len(loader))
            total += loss.item()
        if (epoch + 1) % 5 == 0:
            r2, inside = report(model, x_va, y_va)
            print(f"epoch {epoch + 1} nll {total / len(loader):.4f} val R2 {r2:.4f} 90% interval covers {inside:.3f}")
    r2, inside = report(model, x_va, y_va)
    print(f"final val R2 {r2:.4f} 90% interval covers {inside:.3f}")


if __name__ == "__main__":
    main()
