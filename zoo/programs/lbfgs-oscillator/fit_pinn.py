# Solve the damped oscillator  u'' + 2 z w u' + w^2 u = 0,  u(0)=1, u'(0)=0
# with a small network whose residual is minimised by L-BFGS.
import math

import torch
import torch.nn as nn

torch.set_default_dtype(torch.float64)
torch.manual_seed(1)

OMEGA, ZETA, T_END = 6.0, 0.15, 2.0


def exact(t):
    wd = OMEGA * math.sqrt(1 - ZETA ** 2)
    decay = torch.exp(-ZETA * OMEGA * t)
    return decay * (torch.cos(wd * t) + ZETA * OMEGA / wd * torch.sin(wd * t))


class Field(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(1, width), nn.Tanh(),
            nn.Linear(width, width), nn.Tanh(),
            nn.Linear(width, 1),
        )

    def forward(self, t):
        # inputs scaled to [-1, 1]; the ansatz satisfies both initial conditions
        s = 2 * t / T_END - 1
        return 1 + t ** 2 * self.layers(s)


def derivative(u, t):
    return torch.autograd.grad(u, t, grad_outputs=torch.ones_like(u), create_graph=True)[0]


def residual(model, t):
    t = t.clone().requires_grad_(True)
    u = model(t)
    du = derivative(u, t)
    ddu = derivative(du, t)
    return (ddu + 2 * ZETA * OMEGA * du + OMEGA ** 2 * u) / OMEGA ** 2


model = Field()
t_col = torch.linspace(0, T_END, 80).unsqueeze(1)
optimizer = torch.optim.LBFGS(
    model.parameters(), lr=1.0, max_iter=10, history_size=40, line_search_fn="strong_wolfe"
)


def closure():
    optimizer.zero_grad()
    loss = residual(model, t_col).pow(2).mean()
    loss.backward()
    return loss


t_test = torch.rand(400, 1) * T_END
for it in range(80):
    loss = optimizer.step(closure)
    if (it + 1) % 16 == 0:
        with torch.no_grad():
            err = (model(t_test) - exact(t_test)).norm() / exact(t_test).norm()
        print(f"iter {it + 1:3d}  residual {loss.item():.3e}  rel. error {err.item():.3e}")

with torch.no_grad():
    err = (model(t_test) - exact(t_test)).norm() / exact(t_test).norm()
print(f"relative L2 error vs closed form = {err.item():.3e}")
