"""Regress sale prices of (simulated) houses. Prices are in thousands."""
import numpy as np
import torch
from torch import nn

SEED = 123
np.random.seed(SEED)
torch.manual_seed(SEED)


def simulate(n=1600):
    area = np.random.gamma(9.0, 13.0, n)
    rooms = np.clip(np.round(area / 28 + np.random.normal(0, 0.8, n)), 1, 8)
    age = np.random.uniform(0, 90, n)
    dist = np.random.exponential(6.0, n)
    lat, lon = np.random.uniform(-1, 1, (2, n))
    garden = (np.random.rand(n) < 0.4).astype(float)
    price = (
        1.9 * area
        + 14 * rooms
        - 0.9 * age + 0.008 * age ** 2
        + 160 * np.exp(-dist / 5)
        + 60 * np.sin(2.5 * lat) * np.cos(2 * lon)
        + garden * (15 + 3 * dist)
        + np.random.normal(0, 15, n)
        + 60
    )
    feats = np.stack([area, rooms, age, dist, lat, lon, garden], axis=1)
    return feats.astype(np.float32), price.astype(np.float32)


class Standardizer:
    def __init__(self, data):
        self.mean = data.mean(0)
        self.std = data.std(0)

    def __call__(self, data):
        return (data - self.mean) / self.std

    def inverse(self, data):
        return data * self.std + self.mean


def mse(pred, target):
    assert pred.shape == target.shape
    return ((pred - target) ** 2).mean()


X, y = simulate()
idx = np.random.permutation(len(X))
train_idx, val_idx, test_idx = idx[:1000], idx[1000:1250], idx[1250:]

x_std = Standardizer(X[train_idx])
y_std = Standardizer(y[train_idx])


def tens(i):
    return torch.from_numpy(x_std(X[i])), torch.from_numpy(y_std(y[i]))


x_tr, t_tr = tens(train_idx)
x_va, t_va = tens(val_idx)
x_te, _ = tens(test_idx)

net = nn.Sequential(nn.Linear(7, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1), nn.Flatten(0))
optimiser = torch.optim.RMSprop(net.parameters(), lr=2e-3)
schedule = torch.optim.lr_scheduler.MultiStepLR(optimiser, milestones=[30, 45], gamma=0.3)


def batch_iterator(x, t, bs):
    p = torch.randperm(len(x))
    for k in range(0, len(x) - bs + 1, bs):
        sl = p[k:k + bs]
        yield x[sl], t[sl]


for epoch in range(55):
    net.train()
    run = []
    for xb, tb in batch_iterator(x_tr, t_tr, 50):
        optimiser.zero_grad()
        l = mse(net(xb), tb)
        l.backward()
        optimiser.step()
        run.append(l.item())
    schedule.step()
    if epoch % 6 == 0 or epoch == 54:
        net.eval()
        with torch.no_grad():
            v = mse(net(x_va), t_va).item()
        print("epoch", epoch, "train", round(float(np.mean(run)), 4), "val", round(v, 4))

net.eval()
with torch.no_grad():
    price_hat = y_std.inverse(net(x_te).numpy())
err = price_hat - y[test_idx]
rmse = np.sqrt(np.mean(err ** 2))
base = np.sqrt(np.mean((y[test_idx] - y[train_idx].mean()) ** 2))
print(f"mean-predictor RMSE {base:.1f}k, MAE {np.abs(err).mean():.1f}k")
print(f"RMSE on test houses: {rmse:.2f}k")
