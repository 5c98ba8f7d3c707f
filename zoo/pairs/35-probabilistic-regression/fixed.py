"""Heteroscedastic regression (mean + variance) of house energy use, with calibrated intervals."""
import math

import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import make_friedman1
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, Dataset, random_split


class EnergyData(Dataset):
    def __init__(self, n=3000, seed=0):
        X, y = make_friedman1(n_samples=n, n_features=8, noise=0.0, random_state=seed)
        rng = np.random.default_rng(seed)
        y = y + rng.normal(size=n) * (0.3 + 1.5 * X[:, 0])  # noise grows with occupancy
        self.X = torch.tensor(StandardScaler().fit_transform(X), dtype=torch.float32)
        self.y_mean, self.y_std = float(y.mean()), float(y.std())
        self.y = torch.tensor((y - self.y_mean) / self.y_std, dtype=torch.float32)

    def __len__(self):
        return len(self.X)

    def __getitem__(self, i):
        return self.X[i], self.y[i]


class GaussianMLP(nn.Module):
    def __init__(self, d, hidden=64):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(d, hidden), nn.GELU(), nn.Linear(hidden, hidden), nn.GELU())
        self.out = nn.Linear(hidden, 2)

    def forward(self, x):
        mu, log_var = self.out(self.body(x)).chunk(2, dim=-1)
        return mu.squeeze(-1), log_var.squeeze(-1).clamp(-8, 4)


def nll(mu, log_var, y):
    return 0.5 * (log_var + (y - mu) ** 2 / log_var.exp() + math.log(2 * math.pi)).mean()


@torch.no_grad()
def report(model, loader):
    model.eval()
    mu, lv, ys = [], [], []
    for x, y in loader:
        m, v = model(x)
        mu.append(m.flatten()), lv.append(v.flatten()), ys.append(y)
    mu, lv, y = torch.cat(mu), torch.cat(lv), torch.cat(ys)
    r2 = 1 - ((y - mu) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    cover = ((y - mu).abs() < 1.645 * (0.5 * lv).exp()).float().mean()
    return r2.item(), cover.item(), nll(mu, lv, y).item()


def main():
    torch.manual_seed(1)
    ds = EnergyData()
    train_ds, val_ds = random_split(ds, [2400, 600], generator=torch.Generator().manual_seed(1))
    train_dl = DataLoader(train_ds, batch_size=64, shuffle=True)
    val_dl = DataLoader(val_ds, batch_size=200)

    model = GaussianMLP(ds.X.shape[1])
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=40)
    for epoch in range(1, 41):
        model.train()
        losses = []
        for x, y in train_dl:
            optimizer.zero_grad()
            loss = nll(*model(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            losses.append(loss.item())
        scheduler.step()
        if epoch % 4 == 0:
            r2, cover, val_nll = report(model, val_dl)
            print(f"epoch {epoch:3d}  train nll {np.mean(losses):.4f}  val nll {val_nll:.4f}  R2 {r2:.4f}  90% coverage {cover:.3f}")


if __name__ == "__main__":
    main()
