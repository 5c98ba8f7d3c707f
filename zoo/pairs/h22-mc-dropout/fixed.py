"""Heteroscedastic regression with MC dropout: aleatoric + epistemic uncertainty on a 1-d problem with a data gap."""
import math

import numpy as np
import torch
from torch import nn

torch.manual_seed(5)
rng = np.random.default_rng(5)


def f(x):
    return np.sin(2.2 * x) + 0.3 * x


def noise(x):
    return 0.02 + 0.06 * (x > 0)


def sample(n, gap=True):
    x = rng.uniform(-3, 3, n)
    if gap:
        x = x[(x < 0.8) | (x > 1.8)]
    return x, f(x) + noise(x) * rng.normal(size=x.shape)


to_t = lambda a: torch.tensor(a, dtype=torch.float32).unsqueeze(1)
xtr, ytr = map(to_t, sample(1500))
xte, yte = map(to_t, sample(800))


class Net(nn.Module):
    def __init__(self, h=128, p=0.02):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(1, h), nn.Tanh(), nn.Linear(h, h), nn.ReLU(), nn.Dropout(p),
                                  nn.Linear(h, h), nn.ReLU(), nn.Dropout(p))
        self.mean, self.logvar = nn.Linear(h, 1), nn.Linear(h, 1)

    def forward(self, x):
        h = self.body(x)
        return self.mean(h), self.logvar(h).clamp(-9, 3)


def nll(mean, logvar, y):
    # constant dropped
    return 0.5 * (logvar + (y - mean) ** 2 * torch.exp(-logvar)).mean()


@torch.no_grad()
def mc_predict(net, x, T=60):
    net.train()  # keep dropout sampling
    ms, vs = zip(*[net(x) for _ in range(T)])
    ms, vs = torch.stack(ms), torch.stack(vs).exp()
    return ms.mean(0), vs.mean(0), ms.var(0)


net = Net()
opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-4)
EPOCHS = 120
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 4e-3, total_steps=EPOCHS * math.ceil(len(xtr) / 100))
for epoch in range(1, EPOCHS + 1):
    net.train()
    tot = 0.0
    for idx in torch.randperm(len(xtr)).split(100):
        m, lv = net(xtr[idx])
        loss = nll(m, lv, ytr[idx])
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        opt.step()
        sched.step()
        tot += loss.item() * len(idx)
    if epoch % 15 == 0:
        m, al, ep = mc_predict(net, xte, 30)
        print(f"epoch {epoch:3d}  train nll {tot / len(xtr):.3f}  test rmse {(m - yte).pow(2).mean().sqrt():.4f}")

m, al, ep = mc_predict(net, xte)
sd = (al + ep).sqrt()
cover = ((m - yte).abs() < 1.96 * sd).float().mean().item()
xg = torch.linspace(1.0, 1.6, 100).unsqueeze(1)
_, _, ep_gap = mc_predict(net, xg)
print(f"test rmse {(m - yte).pow(2).mean().sqrt():.4f} (sd of y {yte.std():.3f})  95% coverage {cover:.3f}  "
      f"epistemic sd in gap / elsewhere {ep_gap.sqrt().mean() / ep.sqrt().mean():.2f}")
