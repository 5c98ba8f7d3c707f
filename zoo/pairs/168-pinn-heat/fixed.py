"""PINN for u_t = nu * u_xx on [-1, 1] x [0, 1] with u(x, 0) = cos(pi x / 2) and cold walls."""
import math
from dataclasses import dataclass

import torch
import torch.nn as nn

NU = 0.3


@dataclass
class Domain:
    lo: float = -1.0
    hi: float = 1.0
    t_end: float = 1.0

    def interior(self, n):
        x = self.lo + (self.hi - self.lo) * torch.rand(n, 1)
        return x, self.t_end * torch.rand(n, 1)

    def initial(self, n):
        x = self.lo + (self.hi - self.lo) * torch.rand(n, 1)
        return x, torch.zeros(n, 1)

    def walls(self, n):
        side = torch.randint(0, 2, (n, 1)).float()
        x = self.lo + side * (self.hi - self.lo)
        return x, self.t_end * torch.rand(n, 1)


class Net(nn.Module):
    def __init__(self, width=40, depth=3):
        super().__init__()
        layers, d = [], 2
        for _ in range(depth):
            layers += [nn.Linear(d, width), nn.Tanh()]
            d = width
        self.body = nn.Sequential(*layers, nn.Linear(d, 1))

    def forward(self, x, t):
        return self.body(torch.cat([x, t], dim=1))


def grad(out, inp):
    return torch.autograd.grad(out, inp, torch.ones_like(out), create_graph=True)[0]


def pde_residual(net, x, t):
    x.requires_grad_(True)
    t.requires_grad_(True)
    u = net(x, t)
    return grad(u, t) - NU * grad(grad(u, x), x)


def exact(x, t):
    return torch.exp(-NU * (math.pi / 2) ** 2 * t) * torch.cos(math.pi * x / 2)


@torch.no_grad()
def rel_l2(net, dom):
    x, t = torch.meshgrid(torch.linspace(dom.lo, dom.hi, 41), torch.linspace(0, dom.t_end, 21), indexing="ij")
    x, t = x.reshape(-1, 1), t.reshape(-1, 1)
    ref = exact(x, t)
    return ((net(x, t) - ref).norm() / ref.norm()).item()


def main():
    torch.manual_seed(3)
    dom, net = Domain(), Net()
    opt = torch.optim.Adam(net.parameters(), lr=3e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=1200, eta_min=1e-4)
    for step in range(1, 1201):
        res = pde_residual(net, *dom.interior(200)).pow(2).mean()
        x0, t0 = dom.initial(64)
        ic = (net(x0, t0) - torch.cos(math.pi * x0 / 2)).pow(2).mean()
        bc = net(*dom.walls(64)).pow(2).mean()
        loss = res + 5 * ic + 5 * bc
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        if step % 100 == 0:
            print(f"step {step:4d} loss {loss.item():.5f} (pde {res.item():.5f} ic {ic.item():.5f} "
                  f"bc {bc.item():.5f}) rel L2 {rel_l2(net, dom):.4f}")


if __name__ == "__main__":
    main()
