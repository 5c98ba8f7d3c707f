"""Hourly load forecasting, one step ahead, chronological split."""
import numpy as np
import pandas as pd
import torch
from sklearn.metrics import mean_absolute_error, r2_score
from torch import nn

LAGS = 48
torch.manual_seed(0)
rng = np.random.default_rng(4)

# one year of hourly readings
n = 24 * 365
hours = pd.date_range("2021-01-01", periods=n, freq="h")
daily = 8 * np.sin(2 * np.pi * (hours.hour - 7) / 24) + 4 * np.sin(4 * np.pi * hours.hour / 24)
weekly = np.where(hours.dayofweek < 5, 4.0, -3.0)
wander = np.zeros(n)
shock = rng.normal(0, 2.2, n)
for i in range(1, n):
    wander[i] = 0.82 * wander[i - 1] + shock[i]
load = 60 + daily + weekly + wander + rng.normal(0, 3.0, n)

df = pd.DataFrame({"load": load}, index=hours)
df["trend"] = df["load"].rolling(9, min_periods=1).mean()
df["spread"] = df["load"].rolling(24, min_periods=2).std().bfill()
df["hour_sin"] = np.sin(2 * np.pi * df.index.hour / 24)
df["hour_cos"] = np.cos(2 * np.pi * df.index.hour / 24)
df["weekend"] = (df.index.dayofweek >= 5).astype(float)

cut_train, cut_valid = int(0.7 * n), int(0.85 * n)
stats = df.iloc[:cut_train]
scaled = (df - stats.mean()) / stats.std()
target_mean, target_std = stats["load"].mean(), stats["load"].std()

values = torch.tensor(scaled.to_numpy(), dtype=torch.float32)
windows = values.unfold(0, LAGS, 1)[:-1]          # row i covers hours i .. i+LAGS-1
targets = values[LAGS:, 0]                         # the hour after
ends = np.arange(LAGS, n)
tr, va, te = ends < cut_train, (ends >= cut_train) & (ends < cut_valid), ends >= cut_valid
parts = {k: (windows[m], targets[m]) for k, m in (("train", tr), ("valid", va), ("test", te))}


class Forecaster(nn.Module):
    def __init__(self, channels, lags, width=64):
        super().__init__()
        self.linear = nn.Linear(channels * lags, 1)
        self.mlp = nn.Sequential(
            nn.Linear(channels * lags, width), nn.GELU(), nn.Dropout(0.1), nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1)
        )

    def forward(self, x):
        x = x.flatten(1)
        return (self.linear(x) + self.mlp(x)).squeeze(-1)


def evaluate(model, part):
    model.eval()
    with torch.no_grad():
        x, y = parts[part]
        p = model(x)
    back = lambda v: v.numpy() * target_std + target_mean
    return mean_absolute_error(back(y), back(p)), r2_score(y, p)


model = Forecaster(values.shape[1], LAGS)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-2)
x, y = parts["train"]
best, best_state = float("inf"), None
for epoch in range(16):
    model.train()
    losses = []
    for rows in torch.randperm(len(x)).split(64):
        loss = nn.functional.mse_loss(model(x[rows]), y[rows])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    mae, r2 = evaluate(model, "valid")
    if mae < best:
        best, best_state = mae, {k: v.clone() for k, v in model.state_dict().items()}
    if epoch % 3 == 0:
        print(f"epoch {epoch:2d} loss {np.mean(losses):.4f} valid mae {mae:.3f} r2 {r2:.3f}")

model.load_state_dict(best_state)
mae, r2 = evaluate(model, "test")
test_load = df["load"].to_numpy()[cut_valid:]
print(f"persistence mae {np.abs(np.diff(test_load)).mean():.3f}")
print(f"held-out mae {mae:.3f} r2 {r2:.3f}")
