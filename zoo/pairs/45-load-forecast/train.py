# Short-term load forecasting: predict next hour's load from the last two days.
import numpy as np
import pandas as pd
import torch
import torch.nn as nn

torch.manual_seed(7)
rng = np.random.default_rng(7)

# %% build the hourly table
n = 24 * 7 * 22
idx = pd.date_range("2021-01-04", periods=n, freq="h")
hour = idx.hour.values
dow = idx.dayofweek.values
temp = 12 + 8 * np.sin(2 * np.pi * np.arange(n) / (24 * 365)) + 4 * np.sin(2 * np.pi * (hour - 9) / 24) + rng.normal(0, 1.0, n)
noise = np.zeros(n)
for t in range(1, n):
    noise[t] = 0.75 * noise[t - 1] + rng.normal(0, 22)
load = 500 + 110 * np.sin(2 * np.pi * (hour - 8) / 24) + 45 * np.sin(4 * np.pi * (hour - 5) / 24)
load = load - 60 * (dow >= 5) + 3.0 * np.abs(temp - 15) + noise
df = pd.DataFrame({"load": load, "temp": temp}, index=idx)

# %% features
df["load_ma5"] = df["load"].rolling(5, center=True, min_periods=1).mean()
df["load_std"] = df["load"].rolling(24, min_periods=2).std().bfill()
df["load_diff"] = df["load"].diff().fillna(0.0)
df["hour_sin"] = np.sin(2 * np.pi * hour / 24)
df["hour_cos"] = np.cos(2 * np.pi * hour / 24)
df["weekend"] = (dow >= 5).astype(float)

n_train, n_val = int(0.7 * n), int(0.15 * n)
mu = df.iloc[:n_train].mean()
sd = df.iloc[:n_train].std()
z = ((df - mu) / sd).values.astype(np.float32)

WINDOW = 48


def windows(lo, hi):
    xs, ys = [], []
    for end in range(max(lo, WINDOW), hi):
        xs.append(z[end - WINDOW:end])
        ys.append(z[end, 0])
    return torch.tensor(np.stack(xs)), torch.tensor(np.array(ys)).unsqueeze(1)


Xtr, ytr = windows(0, n_train)
Xva, yva = windows(n_train, n_train + n_val)
Xte, yte = windows(n_train + n_val, n)
print("windows:", len(Xtr), len(Xva), len(Xte))


# %% model
class Forecaster(nn.Module):
    def __init__(self, n_feat, hidden=32):
        super().__init__()
        self.gru = nn.GRU(n_feat, hidden, batch_first=True)
        self.head = nn.Sequential(nn.Linear(hidden, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x):
        out, _ = self.gru(x)
        return self.head(out[:, -1])


model = Forecaster(z.shape[1])
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=14)
loss_fn = nn.MSELoss()


def mae(X, y):
    model.eval()
    with torch.no_grad():
        return (model(X) - y).abs().mean().item() * sd["load"]


best, best_state = float("inf"), None
for epoch in range(14):
    model.train()
    perm = torch.randperm(len(Xtr))
    tot = 0.0
    for i in range(0, len(perm), 64):
        b = perm[i:i + 64]
        loss = loss_fn(model(Xtr[b]), ytr[b])
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        tot += loss.item() * len(b)
    sched.step()
    v = mae(Xva, yva)
    if v < best:
        best, best_state = v, {k: t.clone() for k, t in model.state_dict().items()}
    print(f"epoch {epoch:2d}  train mse {tot / len(perm):.4f}  val MAE {v:.2f} MW")

model.load_state_dict(best_state)
persist = (Xte[:, -1, 0:1] - yte).abs().mean().item() * sd["load"]
print(f"test MAE {mae(Xte, yte):.2f} MW   (persistence {persist:.2f} MW)")
