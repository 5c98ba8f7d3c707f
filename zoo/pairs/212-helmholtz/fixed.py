"""Physics-informed network for a damped membrane: lap(u) - k2 * u = f on the unit square, u given on the rim."""
import math

import torch
from torch import nn

torch.manual_seed(21)
K2 = 4.0
N_INSIDE, N_RIM = 500, 160
ADAM_STEPS, LBFGS_STEPS = 900, 12


def exact(xy):
    x, y = xy[:, :1], xy[:, 1:]
    return torch.sin(math.pi * x) * torch.cos(1.5 * math.pi * y) + 0.5 * x * y


def source(xy):
    x, y = xy[:, :1], xy[:, 1:]
    wave = torch.sin(math.pi * x) * torch.cos(1.5 * math.pi * y)
    lap = -(math.pi ** 2) * (1 + 2.25) * wave
    return lap - K2 * (wave + 0.5 * x * y)


class Membrane(nn.Module):
    def __init__(self, width=40, depth=3):
        super().__init__()
        sizes = [2] + [width] * depth
        self.hidden = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes[:-1], sizes[1:]))
        self.last = nn.Linear(width, 1)
        for layer in [*self.hidden, self.last]:
            nn.init.xavier_normal_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, xy):
        h = 2 * xy - 1
        for layer in self.hidden:
            h = torch.tanh(layer(h))
        return self.last(h)


def derivative(y, xy, axis, **kw):
    return torch.autograd.grad(y, xy, torch.ones_like(y), **kw)[0][:, axis:axis + 1]


def residual(model, xy):
    u = model(xy)
    u_x = derivative(u, xy, 0, create_graph=True)
    u_y = derivative(u, xy, 1, create_graph=True)
    u_xx = derivative(u_x, xy, 0, create_graph=True)
    u_yy = derivative(u_y, xy, 1, create_graph=True)
    return u_xx + u_yy - K2 * u - source(xy)


def rim_points(n):
    s = torch.rand(n, 1)
    side = torch.randint(0, 4, (n, 1))
    x = torch.where(side == 0, torch.zeros_like(s), torch.where(side == 1, torch.ones_like(s), s))
    y = torch.where(side == 2, torch.zeros_like(s), torch.where(side == 3, torch.ones_like(s), s))
    return torch.cat([x, y], 1)


def relative_error(model, m=41):
    grid = torch.linspace(0, 1, m)
    xy = torch.stack(torch.meshgrid(grid, grid, indexing="ij"), -1).reshape(-1, 2)
    with torch.no_grad():
        return ((model(xy) - exact(xy)).norm() / exact(xy).norm()).item()


def objective(model, inside, rim):
    pde = residual(model, inside).pow(2).mean()
    edge = (model(rim) - exact(rim)).pow(2).mean()
    return 0.01 * pde + edge, pde, edge


model = Membrane()
optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.998)
for step in range(ADAM_STEPS):
    inside = torch.rand(N_INSIDE, 2, requires_grad=True)
    loss, pde, edge = objective(model, inside, rim_points(N_RIM))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    if step % 150 == 0:
        print(f"adam {step:4d} pde {pde.item():.3e} edge {edge.item():.3e} rel l2 {relative_error(model):.4f}", flush=True)

inside = torch.rand(2 * N_INSIDE, 2, requires_grad=True)
rim = rim_points(2 * N_RIM)
lbfgs = torch.optim.LBFGS(model.parameters(), lr=1.0, max_iter=10, history_size=20, line_search_fn="strong_wolfe")


def closure():
    lbfgs.zero_grad()
    loss, _, _ = objective(model, inside, rim)
    loss.backward()
    return loss


for step in range(LBFGS_STEPS):
    loss = lbfgs.step(closure)
    if step % 4 == 0:
        print(f"lbfgs {step:3d} loss {loss.item():.3e} rel l2 {relative_error(model):.4f}", flush=True)

print(f"final relative l2 error {relative_error(model):.4f}")
