# Day-ahead electricity load, one feeder. Notebook export.
# %%
import numpy as np
import pandas as pd
import torch
from torch import nn

torch.manual_seed(3)
rng = np.random.default_rng(3)

# %% synthetic feeder: daily + weekly cycle, temperature, autocorrelated demand shocks
hours = 24 * 365
t = np.arange(hours)
temp = 12 + 9 * np.sin(2 * np.pi * (t / 24 - 110) / 365) + 4 * np.sin(2 * np.pi * (t - 9) / 24) + rng.normal(0, 1, hours)
shock = np.zeros(hours)
for i in range(1, hours):
    shock[i] = 0.80 * shock[i - 1] + rng.normal(0, 3.0)
load = (100 + 15 * np.sin(2 * np.pi * (t - 7) / 24) + 6 * (t // 24 % 7 < 5) + 0.08 * (temp - 16) ** 2 + shock)
df = pd.DataFrame({"load": load, "temp": temp}, index=pd.date_range("2022-01-01", periods=hours, freq="h"))

# %% features and target (the next hour)
df["hour_sin"] = np.sin(2 * np.pi * df.index.hour / 24)
df["hour_cos"] = np.cos(2 * np.pi * df.index.hour / 24)
df["workday"] = (df.index.dayofweek < 5).astype(float)
df["lag_24"] = df.load.shift(23)
df["trend_3h"] = df.load.rolling(3, center=True).mean()
df["trend_day"] = df.load.rolling(24).mean()
df["target"] = df.load.shift(-1)
df = df.dropna()
feats = ["load", "temp", "hour_sin", "hour_cos", "workday", "lag_24", "trend_3h", "trend_day"]

# %% chronological split
cut = int(len(df) * 0.8)
tr, te = df.iloc[:cut], df.iloc[cut:]
mu, sd = tr[feats].mean(), tr[feats].std()
ymu, ysd = tr.target.mean(), tr.target.std()


def tensors(d):
    return (torch.tensor(((d[feats] - mu) / sd).to_numpy(), dtype=torch.float32),
            torch.tensor(((d.target - ymu) / ysd).to_numpy(), dtype=torch.float32))


xtr, ytr = tensors(tr)
xte, yte = tensors(te)

# %% model
model = nn.Sequential(nn.Linear(len(feats), 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 1))
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.9)
huber = nn.SmoothL1Loss()

# %% fit
for epoch in range(30):
    perm = torch.randperm(len(xtr))
    running = []
    for idx in perm.split(64):
        opt.zero_grad()
        loss = huber(model(xtr[idx]).squeeze(1), ytr[idx])
        loss.backward()
        opt.step()
        running.append(loss.item())
    sched.step()
    if epoch % 5 == 0:
        print(f"epoch {epoch:3d}  huber {np.mean(running):.4f}")

# %% report in MW against persistence
model.eval()
with torch.no_grad():
    pred = model(xte).squeeze(1).numpy() * ysd + ymu
mae = np.abs(pred - te.target.to_numpy()).mean()
naive = np.abs(te.load.to_numpy() - te.target.to_numpy()).mean()
print(f"test MAE {mae:.3f} MW   (persistence {naive:.3f} MW)")
