"""Echo state network: a fixed random recurrent reservoir, only the linear readout is trained.
Task: predict a Mackey-Glass series 6 steps ahead."""
import os

import numpy as np
import torch
import torch.nn as nn

SEED = int(os.environ.get("SEED", 0))


def mackey_glass(n, tau=17, seed=0):
    rng = np.random.default_rng(seed)
    x = np.full(n + 500 + tau, 1.2) + 0.05 * rng.standard_normal(n + 500 + tau)
    for t in range(tau, len(x) - 1):
        x[t + 1] = x[t] + 0.2 * x[t - tau] / (1 + x[t - tau] ** 10) - 0.1 * x[t]
    return x[-n:]


class EchoState(nn.Module):
    def __init__(self, size=300, radius=0.95, leak=0.5):
        super().__init__()
        w = torch.randn(size, size) * (torch.rand(size, size) < 0.1)
        w *= radius / torch.linalg.eigvals(w).abs().max()
        self.w = nn.Parameter(w, requires_grad=False)
        self.w_in = nn.Parameter(torch.empty(size, 2).uniform_(-1, 1), requires_grad=False)
        self.leak = leak
        self.readout = nn.Linear(size + 1, 1)

    @torch.no_grad()
    def reservoir(self, u):
        """States for the whole series at once; nothing in here is learnt."""
        h = torch.zeros(self.w.shape[0])
        states = []
        for v in u:
            pre = self.w @ h + self.w_in @ torch.stack([v, torch.ones(())])
            h = (1 - self.leak) * h + self.leak * torch.tanh(pre)
            states.append(torch.cat([h, v[None]]))
        return torch.stack(states)

    def forward(self, states):
        return self.readout(states).squeeze(-1)


def main():
    torch.manual_seed(SEED)
    s = mackey_glass(3000, seed=SEED)
    s = torch.tensor((s - s[:2000].mean()) / s[:2000].std(), dtype=torch.float32)
    horizon, washout, cut = 6, 100, 2200
    model = EchoState()
    states = model.reservoir(s[:-horizon])
    target = s[horizon:]
    mu, sd = states[washout:cut].mean(0), states[washout:cut].std(0)
    states = (states - mu) / sd
    xtr, ytr = states[washout:cut - horizon], target[washout:cut - horizon]
    xte, yte = states[cut:], target[cut:]

    opt = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=1e-2)
    epochs = 80
    sched = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=0.96)
    for ep in range(1, epochs + 1):
        tot = 0.0
        for idx in torch.randperm(len(xtr)).split(64):
            loss = ((model(xtr[idx]) - ytr[idx]) ** 2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot += loss.item() * len(idx)
        sched.step()
        if ep % 8 == 0:
            with torch.no_grad():
                mse = ((model(xte) - yte) ** 2).mean().item()
            print(f"epoch {ep:2d}  train mse {tot / len(xtr):.5f}  test mse {mse:.5f}")
    persist = ((s[cut:-horizon] - yte) ** 2).mean().item()
    print(f"persistence mse {persist:.4f}")
    print(f"final test nrmse {mse ** 0.5 / yte.std().item():.4f}")


if __name__ == "__main__":
    main()
