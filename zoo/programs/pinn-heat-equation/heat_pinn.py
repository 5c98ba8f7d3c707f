"""Physics-informed network for u_t = alpha * u_xx on [0, 1] x [0, 1], u(0, t) = u(1, t) = 0."""

import numpy as np
import torch
import torch.nn as nn

ALPHA = 0.1
torch.manual_seed(1234)


def exact(x, t):
    pi = np.pi
    return torch.sin(pi * x) * torch.exp(-ALPHA * pi**2 * t) + 0.5 * torch.sin(2 * pi * x) * torch.exp(
        -4 * ALPHA * pi**2 * t
    )


def gradients(y, x):
    return torch.autograd.grad(y, x, grad_outputs=torch.ones_like(y), create_graph=True)[0]


class PINN(nn.Module):
    def __init__(self, layers=(2, 32, 32, 32, 1)):
        super().__init__()
        self.linears = nn.ModuleList([nn.Linear(a, b) for a, b in zip(layers[:-1], layers[1:])])
        for lin in self.linears:
            nn.init.xavier_normal_(lin.weight)
            nn.init.zeros_(lin.bias)

    def forward(self, x, t):
        h = 2.0 * torch.cat([x, t], dim=1) - 1.0
        for lin in self.linears[:-1]:
            h = torch.tanh(lin(h))
        return self.linears[-1](h)


def pde_residual(net, x, t):
    x.requires_grad_(True)
    t.requires_grad_(True)
    u = net(x, t)
    u_t = gradients(u, t)
    u_xx = gradients(gradients(u, x), x)
    return u_t - ALPHA * u_xx


def relative_l2(net, n=60):
    grid = torch.linspace(0, 1, n)
    x, t = torch.meshgrid(grid, grid, indexing="ij")
    x, t = x.reshape(-1, 1), t.reshape(-1, 1)
    with torch.no_grad():
        u, ref = net(x, t), exact(x, t)
    return (torch.linalg.norm(u - ref) / torch.linalg.norm(ref)).item()


net = PINN()
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=300, gamma=0.5)

n_f, n_b, n_i = 200, 40, 60
for it in range(1000):
    # fresh collocation points every iteration
    x_f, t_f = torch.rand(n_f, 1), torch.rand(n_f, 1)
    t_b = torch.rand(n_b, 1)
    x_b = torch.randint(0, 2, (n_b, 1)).float()
    x_i = torch.rand(n_i, 1)
    t_i = torch.zeros_like(x_i)

    loss_f = pde_residual(net, x_f, t_f).pow(2).mean()
    loss_b = net(x_b, t_b).pow(2).mean()
    loss_i = (net(x_i, t_i) - exact(x_i, t_i)).pow(2).mean()
    loss = loss_f + 10.0 * loss_b + 20.0 * loss_i

    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()

    if it % 200 == 0:
        print(
            f"It: {it}, Loss: {loss.item():.3e} (pde {loss_f.item():.2e}, bc {loss_b.item():.2e}, ic {loss_i.item():.2e})"
        )

print(f"Relative L2 error: {relative_l2(net):.3e}")
