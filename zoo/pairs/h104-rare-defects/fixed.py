"""Rare defects (1.5 %) on a production line, missing sensors, weighted loss. Metric: average precision."""
import argparse

import numpy as np
import torch
import torch.nn as nn
from sklearn.metrics import accuracy_score, average_precision_score
from torch.utils.data import DataLoader, TensorDataset


def make_line(n, seed):
    rng = np.random.default_rng(seed)
    temp = rng.normal(210, 6, n)
    pressure = rng.normal(3.2, 0.25, n)
    speed = rng.uniform(40, 90, n)
    humidity = rng.beta(2, 3, n) * 100
    tool_age = rng.exponential(300, n)
    noise = rng.normal(size=(n, 6))
    score = (0.10 * (temp - 210) + 2.2 * (pressure - 3.2) * (speed - 65) / 15 + 0.02 * (humidity - 40)
             + 1.2 * np.log1p(tool_age / 300) + rng.logistic(size=n) * 0.1)
    y = (score > np.quantile(score, 0.985)).astype(np.float32)
    x = np.column_stack([temp, pressure, speed, humidity, tool_age, noise]).astype(np.float32)
    # sensors fall out at random
    x[rng.random(x.shape) < 0.06] = np.nan
    return x, y


class Preprocess:
    def fit(self, x):
        self.mean = np.nanmean(x, axis=0)
        self.std = np.nanstd(x, axis=0)
        return self

    def __call__(self, x):
        missing = np.isnan(x)
        z = (x - self.mean) / self.std
        z[missing] = 0.0                    # mean value, and a flag says so
        return torch.from_numpy(np.concatenate([z, missing.astype(np.float32)], axis=1))


class Net(nn.Module):
    def __init__(self, d, hidden=64):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(d, hidden), nn.LayerNorm(hidden), nn.GELU(), nn.Dropout(0.1),
            nn.Linear(hidden, hidden), nn.LayerNorm(hidden), nn.GELU(),
        )
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.out(self.body(x)).squeeze(-1)


@torch.no_grad()
def scores(model, loader):
    model.eval()
    p, y = zip(*[(torch.sigmoid(model(xb)), yb) for xb, yb in loader])
    return torch.cat(y).numpy(), torch.cat(p).numpy()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=8)
    ap.add_argument("--batch", type=int, default=256)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--seed", type=int, default=13)
    args = ap.parse_args()
    torch.manual_seed(args.seed)

    x_tr, y_tr = make_line(40000, args.seed)
    x_te, y_te = make_line(12000, args.seed + 1)
    prep = Preprocess().fit(x_tr)
    train = DataLoader(TensorDataset(prep(x_tr), torch.from_numpy(y_tr)), batch_size=args.batch, shuffle=True)
    test = DataLoader(TensorDataset(prep(x_te), torch.from_numpy(y_te)), batch_size=2000)

    ratio = float((1 - y_tr).sum() / y_tr.sum())
    print(f"defects {y_tr.mean():.3%}, weight of a defect sqrt({ratio:.1f}) = {ratio ** 0.5:.2f}")
    model = Net(2 * x_tr.shape[1])
    loss_fn = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(ratio ** 0.5))
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-2)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, args.lr, epochs=args.epochs, steps_per_epoch=len(train))
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for xb, yb in train:
            loss = loss_fn(model(xb), yb)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            sched.step()
            total += loss.item()
        y, p = scores(model, test)
        print(f"epoch {epoch} loss {total / len(train):.4f} accuracy {accuracy_score(y, p > 0.5):.4f} AP {average_precision_score(y, p):.4f}")
    y, p = scores(model, test)
    print(f"always 'good' would reach an accuracy of {1 - y.mean():.4f}")
    print(f"average precision: {average_precision_score(y, p):.4f}")


if __name__ == "__main__":
    main()
