"""Echo state network: a fixed random recurrent reservoir, only the linear readout is trained (L-BFGS, full batch)."""
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn


@dataclass
class Config:
    units: int = 250
    spectral_radius: float = 0.95
    density: float = 0.1
    leak: float = 0.5
    washout: int = 100
    length: int = 10000
    n_val: int = 1000
    ahead: int = 10
    ridge: float = 1e-6
    outer_steps: int = 40
    seed: int = 0


def mackey_glass(n, tau=17, beta=0.2, gamma=0.1, power=10):
    hist = [1.2] * (tau + 1)
    for _ in range(n + 500):
        x, d = hist[-1], hist[-1 - tau]
        hist.append(x + beta * d / (1 + d ** power) - gamma * x)
    s = np.array(hist[-n:], dtype=np.float64)
    return torch.from_numpy((s - s.mean()) / s.std())


class Reservoir(nn.Module):
    """The recurrent weights are buffers: they are drawn once and never change."""

    def __init__(self, cfg):
        super().__init__()
        g = torch.Generator().manual_seed(cfg.seed)
        w = torch.randn(cfg.units, cfg.units, generator=g, dtype=torch.float64)
        w = w * (torch.rand(cfg.units, cfg.units, generator=g) < cfg.density)
        w = w * cfg.spectral_radius / torch.linalg.eigvals(w).abs().max()
        self.register_buffer("w", w)
        self.register_buffer("w_in", torch.rand(cfg.units, generator=g, dtype=torch.float64) - 0.5)
        self.register_buffer("bias", 0.2 * torch.randn(cfg.units, generator=g, dtype=torch.float64))
        self.leak = cfg.leak

    @torch.no_grad()
    def forward(self, series):
        h = torch.zeros_like(self.bias)
        states = []
        for x in series:
            h = (1 - self.leak) * h + self.leak * torch.tanh(self.w @ h + self.w_in * x + self.bias)
            states.append(h)
        return torch.stack(states)


class Readout(nn.Module):
    def __init__(self, units):
        super().__init__()
        self.linear = nn.Linear(units + 1, 1, dtype=torch.float64)
        nn.init.zeros_(self.linear.weight)
        nn.init.zeros_(self.linear.bias)

    def forward(self, states, inputs):
        return self.linear(torch.cat([states, inputs.unsqueeze(1)], 1)).squeeze(1)


def nrmse(pred, true):
    return ((pred - true).pow(2).mean().sqrt() / true.std()).item()


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    series = mackey_glass(cfg.length)
    inputs, targets = series[:-cfg.ahead], series[cfg.ahead:]
    states = Reservoir(cfg)(inputs)
    cut = len(inputs) - cfg.n_val
    train, val = slice(cfg.washout, cut), slice(cut, None)

    model = Readout(cfg.units)
    opt = torch.optim.LBFGS(model.parameters(), lr=1.0, max_iter=50, history_size=50, line_search_fn="strong_wolfe")

    def closure():
        opt.zero_grad()
        loss = (model(states[train], inputs[train]) - targets[train]).pow(2).mean()
        loss = loss + cfg.ridge * model.linear.weight.pow(2).sum()
        loss.backward()
        return loss

    for step in range(cfg.outer_steps):
        loss = opt.step(closure)
        if step % 4 == 0:
            with torch.no_grad():
                err = nrmse(model(states[val], inputs[val]), targets[val])
            print(f"outer step {step:3d} loss {loss.item():.3e} val nrmse {err:.4f}")

    with torch.no_grad():
        err = nrmse(model(states[val], inputs[val]), targets[val])
    print(f"final val nrmse {err:.4f} (persistence {nrmse(inputs[val], targets[val]):.4f})")


if __name__ == "__main__":
    main()
