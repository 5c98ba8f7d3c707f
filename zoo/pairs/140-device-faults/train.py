"""Predict which field devices will fail from their event log."""
import argparse
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    devices: int = 2400
    hidden: int = 64
    batch_size: int = 64
    epochs: int = 25
    lr: float = 1e-3
    weight_decay: float = 1e-2
    seed: int = 0


def load_tables(cfg):
    """Returns (devices, events) in the layout of the CSV export."""
    rng = np.random.default_rng(cfg.seed)
    wear = rng.gamma(2.0, 1.0, cfg.devices)
    heat = rng.normal(0, 1, cfg.devices)
    logit = 1.6 * (wear - 2.0) + 1.2 * heat
    fault = (rng.random(cfg.devices) < 1 / (1 + np.exp(-logit))).astype(int)
    devices = pd.DataFrame({
        "device_id": [f"dev{i}" for i in range(1, cfg.devices + 1)],
        "site": rng.choice(["north", "south", "east"], cfg.devices),
        "fault": fault,
    })
    rows = []
    for i in range(cfg.devices):
        k = rng.integers(15, 40)
        rows.append(pd.DataFrame({
            "device_id": f"dev{i + 1}",
            "temp": 40 + 6 * heat[i] + rng.normal(0, 5, k),
            "vibration": np.abs(rng.normal(0, 0.5 + 0.4 * wear[i], k)),
            "errors": rng.poisson(0.3 + 0.2 * wear[i], k),
            "uptime": rng.exponential(20, k),
        }))
    events = pd.concat(rows, ignore_index=True)
    events = events.sample(frac=1.0, random_state=cfg.seed).reset_index(drop=True)
    return devices, events


def build_matrix(devices, events):
    grouped = events.groupby("device_id")
    feats = grouped.agg(
        temp_mean=("temp", "mean"), temp_max=("temp", "max"),
        vib_mean=("vibration", "mean"), vib_std=("vibration", "std"),
        err_sum=("errors", "sum"), err_mean=("errors", "mean"),
        uptime=("uptime", "median"), n=("temp", "size"),
    )
    feats["log_n"] = np.log1p(feats.pop("n"))
    info = devices.set_index("device_id")
    x = feats.fillna(0.0).to_numpy(np.float32)
    y = info["fault"].to_numpy(np.float32)
    print("feature matrix", x.shape, "fault rate %.3f" % y.mean())
    return x, y


class FaultNet(nn.Module):
    def __init__(self, n_in, hidden):
        super().__init__()
        self.inp = nn.Linear(n_in, hidden)
        self.mid = nn.Linear(hidden, hidden)
        self.norm = nn.LayerNorm(hidden)
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        h = torch.relu(self.inp(x))
        h = self.norm(h + self.drop(torch.relu(self.mid(h))))
        return self.out(h).squeeze(-1)


def predict(model, x):
    model.eval()
    with torch.no_grad():
        return torch.sigmoid(model(torch.from_numpy(x))).numpy()


def fit(cfg):
    torch.manual_seed(cfg.seed)
    devices, events = load_tables(cfg)
    x, y = build_matrix(devices, events)
    x_tr, x_te, y_tr, y_te = train_test_split(x, y, test_size=0.25, stratify=y,
                                              random_state=cfg.seed)
    scaler = StandardScaler().fit(x_tr)
    x_tr = scaler.transform(x_tr).astype(np.float32)
    x_te = scaler.transform(x_te).astype(np.float32)

    loader = DataLoader(TensorDataset(torch.from_numpy(x_tr), torch.from_numpy(y_tr)),
                        batch_size=cfg.batch_size, shuffle=True)
    model = FaultNet(x.shape[1], cfg.hidden)
    optim = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)
    criterion = nn.BCEWithLogitsLoss()
    for epoch in range(1, cfg.epochs + 1):
        model.train()
        losses = []
        for xb, yb in loader:
            optim.zero_grad(set_to_none=True)
            loss = criterion(model(xb), yb)
            loss.backward()
            optim.step()
            losses.append(loss.item())
        if epoch % 5 == 0:
            print(f"epoch {epoch:3d} loss {np.mean(losses):.4f} "
                  f"test auc {roc_auc_score(y_te, predict(model, x_te)):.4f}")
    p = predict(model, x_te)
    print(f"test auc {roc_auc_score(y_te, p):.4f} accuracy {((p > 0.5) == y_te).mean():.4f} "
          f"majority {max(y_te.mean(), 1 - y_te.mean()):.4f}")


if __name__ == "__main__":
    torch.set_num_threads(1)
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--epochs", type=int, default=25)
    a = ap.parse_args()
    fit(Config(seed=a.seed, epochs=a.epochs))
