"""Sequence regression on a preemptible queue: the job runs in slices and continues from its last checkpoint."""
import math
import os
import tempfile

import torch
from torch import nn

TOTAL, SLICE, WARMUP, PEAK = 640, 80, 150, 4e-3


def make_data(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.rand(n, 6, generator=g) * 2 - 1
    y = torch.sin(3 * x[:, 0] * x[:, 1]) + x[:, 2].abs() * x[:, 3] + torch.cos(4 * x[:, 4]) * x[:, 5]
    return x, (y + 0.02 * torch.randn(n, generator=g))[:, None]


def lr_at(step):
    if step < WARMUP:
        return PEAK * (step + 1) / WARMUP
    return PEAK * 0.5 * (1 + math.cos(math.pi * (step - WARMUP) / (TOTAL - WARMUP)))


class Job:
    def __init__(self, path):
        self.path = path
        self.net = nn.Sequential(nn.Linear(6, 128), nn.SiLU(), nn.Linear(128, 128), nn.SiLU(), nn.Linear(128, 1))
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=PEAK, weight_decay=1e-4)
        self.step = 0
        if os.path.exists(path):
            self.load()

    def save(self):
        torch.save({"net": self.net.state_dict(), "opt": self.opt.state_dict(), "step": self.step}, self.path)

    def load(self):
        state = torch.load(self.path)
        self.net.load_state_dict(state["net"])
        self.opt.load_state_dict(state["opt"])
        self.step = state["step"]

    def run(self, x, y, budget):
        total = 0.0
        for _ in range(budget):
            g = torch.Generator().manual_seed(1000 + self.step)
            idx = torch.randint(0, len(x), (256,), generator=g)
            for group in self.opt.param_groups:
                group["lr"] = lr_at(self.step)
            loss = nn.functional.mse_loss(self.net(x[idx]), y[idx])
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.step += 1
            total += loss.item()
        self.save()
        return total / budget


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    x, y = make_data(20000, 1)
    xt, yt = make_data(4000, 2)
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "last.pt")
        for part in range(TOTAL // SLICE):
            job = Job(path)
            loss = job.run(x, y, SLICE)
            with torch.no_grad():
                val = nn.functional.mse_loss(job.net(xt), yt).item()
            print(f"slice {part + 1}/{TOTAL // SLICE}  train mse {loss:.4f}  val mse {val:.4f}")
    r2 = 1 - val / yt.var().item()
    print(f"held-out R2 {r2:.4f}  mse {val:.5f}")


if __name__ == "__main__":
    main()
