"""Reptile meta-learning on sine regression: weights are restored before each task, inner optimiser made anew."""
import copy
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn


@dataclass
class Config:
    meta_steps: int = 8000
    inner_steps: int = 6
    inner_lr: float = 0.02
    meta_lr: float = 1.0
    shots: int = 10
    hidden: int = 64
    eval_tasks: int = 50
    eval_steps: int = 32
    seed: int = 0


class SineTask:
    def __init__(self, rng):
        self.amplitude, self.phase = rng.uniform(0.5, 3.0), rng.uniform(0, np.pi)
        self.x = torch.tensor(rng.uniform(-4, 4, (50, 1)), dtype=torch.float32)
        self.y = self(self.x)

    def __call__(self, x):
        return self.amplitude * torch.sin(x + self.phase)

    def support(self, k):
        return self.x[:k], self.y[:k]


class Net(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(1, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(),
                                  nn.Linear(hidden, 1))

    def forward(self, x):
        return self.body(x)


def adapt(model, x, y, steps, lr, batch):
    """A fresh SGD per task; the batches walk through the task's points in order."""
    opt = torch.optim.SGD(model.parameters(), lr=lr)
    first = last = None
    for k in range(steps):
        lo = (k * batch) % len(x)
        loss = (model(x[lo:lo + batch]) - y[lo:lo + batch]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        last = loss.item()
        first = last if first is None else first
    return first, last


def meta_evaluate(model, cfg, seed):
    rng = np.random.default_rng(seed)
    grid = torch.linspace(-4, 4, 100).unsqueeze(1)
    before, after = [], []
    for _ in range(cfg.eval_tasks):
        task, clone = SineTask(rng), copy.deepcopy(model)
        x, y = task.support(cfg.shots)
        with torch.no_grad():
            before.append((clone(grid) - task(grid)).pow(2).mean().item())
        adapt(clone, x, y, cfg.eval_steps, cfg.inner_lr, cfg.shots)
        with torch.no_grad():
            after.append((clone(grid) - task(grid)).pow(2).mean().item())
    return float(np.mean(before)), float(np.mean(after))


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    model = Net(cfg.hidden)
    smooth = None
    for it in range(1, cfg.meta_steps + 1):
        start = {k: v.clone() for k, v in model.state_dict().items()}
        task = SineTask(rng)
        first, last = adapt(model, task.x, task.y, cfg.inner_steps, cfg.inner_lr, 10)
        step = cfg.meta_lr * (1 - it / cfg.meta_steps) * 0.5
        adapted = model.state_dict()
        model.load_state_dict({k: start[k] + step * (adapted[k] - start[k]) for k in start})
        smooth = last if smooth is None else 0.99 * smooth + 0.01 * last
        if it % 1000 == 0:
            before, after = meta_evaluate(model, cfg, 500)
            print(f"meta step {it:5d} inner loss {smooth:.4f} mse before adaptation {before:.3f} after {after:.4f}")
    before, after = meta_evaluate(model, cfg, 900)
    fresh = meta_evaluate(Net(cfg.hidden), cfg, 900)[1]
    print(f"final adapted mse {after:.4f} (before adaptation {before:.4f}, from scratch {fresh:.4f})")


if __name__ == "__main__":
    main()
