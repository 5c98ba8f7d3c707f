"""Estimate fine dust from cheap sensors; reference values exist only for part of the hours."""
import argparse

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)

FEATURES = ["counts", "humidity", "temp", "wind", "hour_sin", "hour_cos", "traffic", "pressure"]


def build_table(n, rng, full_reference):
    hour = rng.integers(0, 24, n)
    traffic = np.clip(rng.normal(0.5, 0.2, n) + 0.4 * np.exp(-((hour - 8) ** 2) / 6), 0, 2)
    wind = rng.gamma(2.0, 1.5, n)
    temp = 12 + 8 * np.sin((hour - 9) / 24 * 2 * np.pi) + rng.normal(0, 5, n)
    humidity = np.clip(70 - 1.2 * (temp - 12) + rng.normal(0, 10, n), 15, 100)
    dust = 8 + 45 * traffic / (1 + 0.35 * wind) + rng.gamma(1.5, 3.0, n)
    counts = dust * (1 + 0.8 * (humidity / 100) ** 4) * rng.lognormal(0, 0.05, n)
    df = pd.DataFrame({
        "counts": counts, "humidity": humidity, "temp": temp, "wind": wind, "traffic": traffic,
        "hour_sin": np.sin(hour / 24 * 2 * np.pi), "hour_cos": np.cos(hour / 24 * 2 * np.pi),
        "pressure": rng.normal(1013, 7, n), "dust": dust + rng.normal(0, 1.0, n)})
    if not full_reference:
        offline = rng.random(n) < np.where(dust > 30, 0.65, 0.35)
        df.loc[offline, "dust"] = np.nan
    return df


class Scaler:
    def __init__(self, df):
        self.mean, self.std = df[FEATURES].mean(), df[FEATURES].std()
        self.y_mean, self.y_std = df["dust"].mean(), df["dust"].std()

    def inputs(self, df):
        return ((df[FEATURES] - self.mean) / self.std).to_numpy(np.float32, copy=True)

    def target(self, df):
        return ((df["dust"] - self.y_mean) / self.y_std).to_numpy(np.float32)


class Hours(Dataset):
    def __init__(self, df, scaler):
        y = scaler.target(df)
        known = ~np.isnan(y)
        self.x = torch.from_numpy(scaler.inputs(df))
        self.y = torch.from_numpy(np.where(known, y, 0.0).astype(np.float32)).unsqueeze(1)
        self.known = torch.from_numpy(known.astype(np.float32))

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i], self.known[i]


def make_model(inputs, width=64, dropout=0.05):
    return nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Dropout(dropout), nn.Linear(width, width), nn.ReLU(),
                         nn.Linear(width, 1))


def known_loss(pred, y, known):
    per_hour = nn.functional.smooth_l1_loss(pred, y, reduction="none")
    return (per_hour * known).sum() / known.sum().clamp(min=1.0)


@torch.no_grad()
def report(model, df, scaler):
    model.eval()
    pred = model(torch.from_numpy(scaler.inputs(df))).squeeze(1).numpy() * scaler.y_std + scaler.y_mean
    keep = df["dust"].notna().to_numpy()
    err = pred[keep] - df["dust"].to_numpy()[keep]
    high = df["dust"].to_numpy()[keep] > 40
    r2 = 1 - (err ** 2).sum() / ((df["dust"][keep] - df["dust"][keep].mean()) ** 2).sum()
    return {"rmse": float(np.sqrt((err ** 2).mean())), "r2": float(r2), "bias_high": float(err[high].mean())}


def run(args):
    rng = np.random.default_rng(args.seed)
    torch.manual_seed(args.seed)
    train_df = build_table(12000, rng, full_reference=False)
    valid_df = build_table(2000, rng, full_reference=True)
    test_df = build_table(4000, rng, full_reference=True)
    scaler = Scaler(train_df)
    loader = DataLoader(Hours(train_df, scaler), batch_size=args.batch, shuffle=True)
    model = make_model(len(FEATURES))
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    sched = torch.optim.lr_scheduler.StepLR(opt, step_size=args.epochs // 3, gamma=0.3)
    print(f"reference available for {train_df['dust'].notna().mean():.1%} of training hours")
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for x, y, known in loader:
            loss = known_loss(model(x), y, known)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        sched.step()
        if epoch % 3 == 2:
            m = report(model, valid_df, scaler)
            print(f"epoch {epoch + 1:2d} loss {total / len(loader):.4f} valid rmse {m['rmse']:.3f} r2 {m['r2']:.4f}")
    m = report(model, test_df, scaler)
    print(f"test rmse={m['rmse']:.4f} r2={m['r2']:.4f} bias_above_40={m['bias_high']:+.3f}")


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--epochs", type=int, default=18)
    ap.add_argument("--batch", type=int, default=96)
    ap.add_argument("--lr", type=float, default=2e-3)
    run(ap.parse_args())
