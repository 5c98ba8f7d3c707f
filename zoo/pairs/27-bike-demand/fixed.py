"""Bike-share demand per hour."""
from dataclasses import dataclass

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


@dataclass(frozen=True)
class HParams:
    hidden: int = 64
    lr: float = 3e-3
    batch_size: int = 128
    epochs: int = 25
    seed: int = 2024


class BikeHours(Dataset):
    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        hour = rng.integers(24, size=n)
        workday = rng.random(n) < 5 / 7
        temp = rng.normal(15, 8, n)
        rain = rng.random(n) < 0.2
        commute = np.exp(-((hour - 8) / 1.5) ** 2) + np.exp(-((hour - 17.5) / 2.0) ** 2)
        leisure = np.exp(-((hour - 14) / 4.0) ** 2)
        base = np.where(workday, 5 * commute + leisure, 3.5 * leisure) + 0.3
        count = 60 * base * np.exp(-((temp - 22) / 16) ** 2) * np.where(rain, 0.5, 1.0)
        count = rng.poisson(count)
        self.x = np.stack([np.sin(hour * np.pi / 12), np.cos(hour * np.pi / 12), np.sin(hour * np.pi / 6),
                           np.cos(hour * np.pi / 6), workday, (temp - 15) / 8, rain], 1).astype(np.float32)
        self.y = np.log1p(count).astype(np.float32)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class DemandNet(torch.nn.Module):
    def __init__(self, hp):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(7, hp.hidden), torch.nn.ReLU(),
            torch.nn.Linear(hp.hidden, hp.hidden), torch.nn.ReLU(),
            torch.nn.Linear(hp.hidden, 1))

    def forward(self, x):
        return self.layers(x).squeeze(-1)


def train(hp):
    torch.manual_seed(hp.seed)
    train_dl = DataLoader(BikeHours(6000, 0), batch_size=hp.batch_size, shuffle=True)
    model = DemandNet(hp)
    opt = torch.optim.AdamW(model.parameters(), lr=hp.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, hp.epochs)
    loss_fn = torch.nn.MSELoss()
    for epoch in range(hp.epochs):
        total = 0.0
        for x, y in train_dl:
            opt.zero_grad(set_to_none=True)
            loss = loss_fn(model(x), y)
            loss.backward()
            opt.step()
            total += loss.item()
        sched.step()
        if epoch % 6 == 0:
            print(f"{epoch=} mse={total / len(train_dl):.4f}")
    return model


def rmsle(model, data):
    model.eval()
    with torch.no_grad():
        pred = model(torch.from_numpy(data.x)).numpy().reshape(-1)
    return float(np.sqrt(np.mean((pred - data.y) ** 2)))


if __name__ == "__main__":
    model = train(HParams())
    test = BikeHours(2000, 1)
    print(f"test RMSLE {rmsle(model, test):.4f} (constant prediction {test.y.std():.4f})")
