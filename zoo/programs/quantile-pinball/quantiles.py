#!/usr/bin/env python
# coding: utf-8

# # Quantile regression
# Predict the 10 %, 50 % and 90 % quantile of delivery times.

# In[1]:


import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

rng = np.random.default_rng(12)

QUANTILES = [0.1, 0.5, 0.9]


# In[2]:


# distance (km), load of the courier, rain flag -> minutes; noise is skewed and grows with distance
n = 4000
distance = rng.uniform(0.5, 12, n)
load = rng.integers(1, 6, n)
rain = (rng.random(n) < 0.3).astype(float)
centre = 8 + 2.5 * distance + 1.5 * (load - 1) ** 1.3 + rain * (3 + 0.4 * distance)
spread = 0.6 + 0.5 * distance * (1 + 0.7 * rain)
minutes = centre + spread * (rng.gamma(2.0, 1.0, n) - 2.0)

X = np.column_stack([distance, load, rain])
print(X.shape, minutes.mean().round(2), minutes.std().round(2))


# In[3]:


idx = rng.permutation(n)
tr, te = idx[:2800], idx[2800:]
x_mean, x_std = X[tr].mean(0), X[tr].std(0)
y_mean, y_std = minutes[tr].mean(), minutes[tr].std()

Xn = torch.tensor((X - x_mean) / x_std, dtype=torch.float32)
yn = torch.tensor((minutes - y_mean) / y_std, dtype=torch.float32)

train_dl = DataLoader(TensorDataset(Xn[tr], yn[tr]), batch_size=56, shuffle=True)


# In[4]:


class QuantileNet(nn.Module):
    """Median plus non-negative offsets, so the quantiles never cross."""

    def __init__(self, n_in=3, hidden=32):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(n_in, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU())
        self.out = nn.Linear(hidden, 3)

    def forward(self, x):
        low, mid, high = self.out(self.trunk(x)).unbind(-1)
        return torch.stack([mid - nn.functional.softplus(low), mid, mid + nn.functional.softplus(high)], dim=-1)


def pinball(pred, target, quantiles=QUANTILES):
    q = torch.tensor(quantiles)
    diff = target.unsqueeze(-1) - pred
    return torch.maximum(q * diff, (q - 1) * diff).mean()


# In[5]:


net = QuantileNet()
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
sched = torch.optim.lr_scheduler.LinearLR(opt, start_factor=1.0, end_factor=0.05, total_iters=14)
history = []
for epoch in range(14):
    net.train()
    for xb, yb in train_dl:
        loss = pinball(net(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
    sched.step()
    net.eval()
    with torch.no_grad():
        history.append(pinball(net(Xn[te]), yn[te]).item())
    print(f'{epoch:2d}  held-out pinball {history[-1] * y_std:.4f} min')


# In[6]:


net.eval()
with torch.no_grad():
    q_pred = net(Xn[te]).numpy() * y_std + y_mean
y_te = minutes[te]
for k, q in enumerate(QUANTILES):
    print(f'q={q:.1f}: share of deliveries below = {(y_te <= q_pred[:, k]).mean():.3f}')
inside = ((y_te >= q_pred[:, 0]) & (y_te <= q_pred[:, 2])).mean()
print(f'80 % interval covers {inside:.3f}, mean width {np.mean(q_pred[:, 2] - q_pred[:, 0]):.2f} min')


# In[7]:


const = np.quantile(minutes[tr], QUANTILES)
base = pinball(torch.tensor(np.tile(const, (len(te), 1))), torch.tensor(y_te)).item()
final = pinball(torch.tensor(q_pred), torch.tensor(y_te)).item()
print(f'constant quantiles: {base:.4f}')
print(f'pinball loss in minutes: {final:.4f}')
