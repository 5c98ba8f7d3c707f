# Next-hour change of an intraday power spread from its recent history.
# %%
import numpy as np
import pandas as pd
import torch
from scipy import signal
from torch import nn

SEED = 4
np.random.seed(SEED)
torch.manual_seed(SEED)

# %% simulate two years of hourly quotes
n = 9000
rng = np.random.default_rng(SEED)
drift = np.zeros(n)
for t in range(1, n):
    drift[t] = 0.93 * drift[t - 1] + 0.25 * rng.standard_normal()
hours = pd.date_range("2023-01-01", periods=n, freq="h")
season = 0.35 * np.sin(2 * np.pi * hours.hour.to_numpy() / 24 + 0.4)
change = drift + season + 0.55 * rng.standard_normal(n)
df = pd.DataFrame({"ts": hours, "spread": 40 + np.cumsum(change - change.mean())}).set_index("ts")
print(df.describe().T)

# %% features
WINDOW = 24
HORIZON = 1
df["delta"] = df["spread"].diff()
df = df.dropna()
b, a = signal.butter(2, 0.25)
df["smooth"] = signal.lfilter(b, a, df["delta"].to_numpy())
df["hour_sin"] = np.sin(2 * np.pi * df.index.hour / 24)
df["hour_cos"] = np.cos(2 * np.pi * df.index.hour / 24)

cols = ["smooth", "hour_sin", "hour_cos"]
values = df[cols].to_numpy(dtype=np.float32)
target = df["delta"].to_numpy(dtype=np.float32)

split = int(0.75 * len(values))
mu, sd = values[:split].mean(0), values[:split].std(0)
y_mu, y_sd = target[:split].mean(), target[:split].std()
values = (values - mu) / sd
target = (target - y_mu) / y_sd


def windows(lo, hi):
    xs, ys = [], []
    for end in range(lo + WINDOW, hi - HORIZON + 1):
        xs.append(values[end - WINDOW:end])
        ys.append(target[end + HORIZON - 1])
    return torch.tensor(np.array(xs)), torch.tensor(np.array(ys))


x_train, y_train = windows(0, split)
x_test, y_test = windows(split, len(values))
print("train", tuple(x_train.shape), "test", tuple(x_test.shape))


# %% model
class Forecaster(nn.Module):
    def __init__(self, n_in, hidden=32):
        super().__init__()
        self.rnn = nn.GRU(n_in, hidden, batch_first=True)
        self.out = nn.Sequential(nn.Linear(hidden + n_in * 8, 48), nn.GELU(), nn.Linear(48, 1))

    def forward(self, x):
        h, _ = self.rnn(x)
        recent = x[:, -8:].flatten(1)
        return self.out(torch.cat([h[:, -1], recent], 1)).squeeze(-1)


model = Forecaster(len(cols))
opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-3)
EPOCHS, BATCH = 8, 128
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=4e-3, total_steps=EPOCHS * (len(x_train) // BATCH))


def r2(x, y):
    model.eval()
    with torch.no_grad():
        pred = model(x)
    return 1 - ((pred - y) ** 2).sum().item() / ((y - y.mean()) ** 2).sum().item()


# %% fit
for epoch in range(EPOCHS):
    model.train()
    perm = torch.randperm(len(x_train))
    running = []
    for i in range(len(x_train) // BATCH):
        idx = perm[i * BATCH:(i + 1) * BATCH]
        loss = nn.functional.mse_loss(model(x_train[idx]), y_train[idx])
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        running.append(loss.item())
    print(f"epoch {epoch:2d} train mse {np.mean(running):.4f} test r2 {r2(x_test, y_test):.4f}")

# %% hold-out period
with torch.no_grad():
    pred = model(x_test).numpy()
hit = np.mean(np.sign(pred) == np.sign(y_test.numpy()))
print(f"direction hit rate {hit:.3f}")
print(f"final test r2 {r2(x_test, y_test):.4f}")
