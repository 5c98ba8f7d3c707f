"""Delivery-time model that predicts a mean and a per-order uncertainty (Gaussian likelihood)."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(2)
rng = np.random.default_rng(2)


def make_orders(n):
    distance = rng.gamma(2.0, 2.0, n)
    traffic = rng.uniform(0, 1, n)
    items = rng.poisson(3, n)
    rain = (rng.random(n) < 0.25).astype(float)
    mean = 10 + 2.5 * distance * (1 + 0.6 * traffic) + 0.8 * items + 4 * rain
    sigma = np.exp(-0.8 + 3.2 * traffic + 0.6 * rain)
    minutes = mean + sigma * rng.normal(size=n)
    x = np.stack([distance, traffic, items, rain], 1)
    return x.astype(np.float32), minutes.astype(np.float32)


class MeanVarianceNet(nn.Module):
    def __init__(self, n_in, hidden=48):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(n_in, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU())
        self.mean_head = nn.Linear(hidden, 1)
        self.log_var_head = nn.Linear(hidden, 1)

    def forward(self, x):
        h = self.trunk(x)
        return self.mean_head(h).squeeze(-1), self.log_var_head(h).clamp(-8, 5)


def gaussian_nll(mean, log_var, target):
    return 0.5 * (log_var + (target - mean).pow(2) * torch.exp(-log_var)).mean()


x, y = make_orders(6000)
x_tr, y_tr, x_va, y_va = x[:5000], y[:5000], x[5000:], y[5000:]
xm, xs, ym, ys = x_tr.mean(0), x_tr.std(0), y_tr.mean(), y_tr.std()
norm = lambda a, b: (torch.from_numpy((a - xm) / xs), torch.from_numpy((b - ym) / ys))
train_set = TensorDataset(*norm(x_tr, y_tr))
xv, yv = norm(x_va, y_va)
loader = DataLoader(train_set, batch_size=64, shuffle=True)

model = MeanVarianceNet(4)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)

for epoch in range(1, 26):
    model.train()
    for xb, yb in loader:
        mean, log_var = model(xb)
        loss = gaussian_nll(mean, log_var, yb)
        opt.zero_grad()
        loss.backward()
        opt.step()

    model.eval()
    with torch.no_grad():
        mean, log_var = model(xv)
        nll = gaussian_nll(mean, log_var, yv).item()
        err = (mean - yv).abs().numpy()
        width = log_var.exp().sqrt().numpy().ravel()
    corr = np.corrcoef(width, err)[0, 1]
    print(f"epoch {epoch:2d}  val nll {nll:.3f}  mae {err.mean() * ys:.2f} min  corr(width, error) {corr:.3f}")
