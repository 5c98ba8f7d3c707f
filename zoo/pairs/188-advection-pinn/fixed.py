"""Physics-informed network for the periodic advection equation u_t + c u_x = 0 on [0, 1] x [0, 1]."""
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn


@dataclass
class Config:
    speed: float = 0.5
    hidden: int = 48
    depth: int = 3
    n_interior: int = 384
    n_initial: int = 128
    steps: int = 5000
    lr: float = 4e-3
    w_initial: float = 10.0
    seed: int = 0


def initial(x):
    return torch.sin(2 * np.pi * x) + 0.5 * torch.cos(4 * np.pi * x)


def exact(x, t, c):
    return initial((x - c * t) % 1.0)


class Field(nn.Module):
    """u(x, t); x enters through Fourier features so that periodicity holds by construction."""

    def __init__(self, cfg):
        super().__init__()
        sizes = [5] + [cfg.hidden] * cfg.depth
        layers = []
        for a, b in zip(sizes[:-1], sizes[1:]):
            layers += [nn.Linear(a, b), nn.Tanh()]
        self.net = nn.Sequential(*layers, nn.Linear(cfg.hidden, 1))

    def forward(self, x, t):
        w = 2 * np.pi * x
        return self.net(torch.cat([torch.sin(w), torch.cos(w), torch.sin(2 * w), torch.cos(2 * w), 2 * t - 1], -1))


def derivative(u, inputs):
    return torch.autograd.grad(u, inputs, torch.ones_like(u), create_graph=True)


class AdvectionSolver:
    def __init__(self, cfg):
        self.cfg = cfg
        self.model = Field(cfg)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=cfg.lr)
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, cfg.steps, eta_min=1e-5)

    def residual_loss(self):
        x = torch.rand(self.cfg.n_interior, 1, requires_grad=True)
        t = torch.rand(self.cfg.n_interior, 1, requires_grad=True)
        u_x, u_t = derivative(self.model(x, t), (x, t))
        return (u_t + self.cfg.speed * u_x).pow(2).mean()

    def initial_loss(self):
        x = torch.rand(self.cfg.n_initial, 1)
        return (self.model(x, torch.zeros_like(x)) - initial(x)).pow(2).mean()

    def step(self):
        res, ini = self.residual_loss(), self.initial_loss()
        loss = res + self.cfg.w_initial * ini
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.sched.step()
        return res.item(), ini.item()

    @torch.no_grad()
    def relative_error(self, n=64):
        g = torch.linspace(0, 1, n)
        x, t = [v.reshape(-1, 1) for v in torch.meshgrid(g, g, indexing="ij")]
        truth = exact(x, t, self.cfg.speed)
        return ((self.model(x, t) - truth).norm() / truth.norm()).item()

    def fit(self):
        for k in range(1, self.cfg.steps + 1):
            res, ini = self.step()
            if k % 500 == 0:
                print(f"step {k:5d} residual {res:.3e} initial {ini:.3e} rel. error {self.relative_error():.4f}")


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    solver = AdvectionSolver(cfg)
    n_par = sum(p.numel() for p in solver.model.parameters())
    print(f"{n_par} parameters, speed {cfg.speed}, {cfg.n_interior} interior points per step")
    solver.fit()
    print(f"final relative L2 error {solver.relative_error():.4f}")


if __name__ == "__main__":
    main()
