"""Physics-informed net for the heat equation u_t = a u_xx with fixed collocation points; Adam, then L-BFGS polish."""
import math

import torch
from torch import nn

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
ALPHA = 0.1


def exact(x, t):
    return (torch.sin(math.pi * x) * torch.exp(-ALPHA * math.pi ** 2 * t)
            + 0.5 * torch.sin(2 * math.pi * x) * torch.exp(-4 * ALPHA * math.pi ** 2 * t))


net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
for m in net:
    if isinstance(m, nn.Linear):
        nn.init.xavier_normal_(m.weight)
        nn.init.zeros_(m.bias)

# collocation, initial and boundary points: drawn once, used in full at every step
sob = torch.quasirandom.SobolEngine(2, scramble=True, seed=0)
xt = sob.draw(300, dtype=torch.float64).requires_grad_(True)
x0 = torch.linspace(0, 1, 64).unsqueeze(1)
ini = torch.cat([x0, torch.zeros_like(x0)], 1)
u0 = exact(x0, torch.zeros_like(x0))
tb = torch.linspace(0, 1, 64).unsqueeze(1)
bnd = torch.cat([torch.cat([torch.zeros_like(tb), tb], 1), torch.cat([torch.ones_like(tb), tb], 1)])


def residual():
    u = net(xt)
    du = torch.autograd.grad(u, xt, torch.ones_like(u), create_graph=True)[0]
    u_x, u_t = du[:, :1], du[:, 1:]
    u_xx = torch.autograd.grad(u_x, xt, torch.ones_like(u_x), create_graph=True)[0][:, :1]
    return u_t - ALPHA * u_xx


def losses():
    pde = residual().pow(2).mean()
    ic = (net(ini) - u0).pow(2).mean()
    bc = net(bnd).pow(2).mean()
    return pde, ic, bc


@torch.no_grad()
def rel_error():
    g = torch.linspace(0, 1, 60)
    X, T = torch.meshgrid(g, g, indexing="ij")
    X, T = X.reshape(-1, 1), T.reshape(-1, 1)
    u = exact(X, T)
    return ((net(torch.cat([X, T], 1)) - u).norm() / u.norm()).item()


opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for it in range(1, 601):
    pde, ic, bc = losses()
    loss = pde + 20 * ic + 20 * bc
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 100 == 0:
        print(f"adam {it:4d}  pde {pde.item():.2e}  ic {ic.item():.2e}  bc {bc.item():.2e}  rel l2 {rel_error():.4f}")

lb = torch.optim.LBFGS(net.parameters(), lr=1.0, max_iter=20, history_size=30, line_search_fn="strong_wolfe")


def closure():
    lb.zero_grad()
    pde, ic, bc = losses()
    loss = pde + 20 * ic + 20 * bc
    loss.backward()
    return loss


for it in range(1, 16):
    loss = lb.step(closure)
    if it % 5 == 0:
        print(f"lbfgs {it:3d}  loss {loss.item():.3e}  rel l2 {rel_error():.5f}")
print(f"relative l2 error against the exact solution: {rel_error():.5f}")
