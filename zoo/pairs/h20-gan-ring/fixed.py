import math

import torch
from torch import nn

torch.manual_seed(1)
MODES, RADIUS, STD, Z = 8, 2.0, 0.08, 8


def real_batch(n):
    a = torch.randint(MODES, (n,)) * (2 * math.pi / MODES)
    return torch.stack([a.cos(), a.sin()], 1) * RADIUS + STD * torch.randn(n, 2)


def mlp(i, o, h=64):
    return nn.Sequential(nn.Linear(i, h), nn.LeakyReLU(0.2), nn.Linear(h, h), nn.LeakyReLU(0.2), nn.Linear(h, o))


@torch.no_grad()
def quality(gen, n=4000):
    x = gen(torch.randn(n, Z))
    ang = torch.arange(MODES) * (2 * math.pi / MODES)
    centres = torch.stack([ang.cos(), ang.sin()], 1) * RADIUS
    d, k = torch.cdist(x, centres).min(1)
    good = d < 5 * STD
    covered = (torch.bincount(k[good], minlength=MODES) > n / MODES * 0.2).sum().item()
    return good.float().mean().item(), covered


G, D = mlp(Z, 2), mlp(2, 1)
g_ema = mlp(Z, 2)
g_ema.load_state_dict(G.state_dict())
g_ema.requires_grad_(False)
opt_g = torch.optim.Adam(G.parameters(), lr=2e-3, betas=(0.0, 0.99))
opt_d = torch.optim.Adam(D.parameters(), lr=2e-3, betas=(0.0, 0.99))
softplus = nn.functional.softplus
R1 = 0.1
BATCH, STEPS = 128, 2000

for step in range(1, STEPS + 1):
    # discriminator
    x = real_batch(BATCH).requires_grad_(True)
    fake = G(torch.randn(BATCH, Z)).detach()
    d_real, d_fake = D(x), D(fake)
    (grad,) = torch.autograd.grad(d_real.sum(), x, create_graph=True)
    loss_d = softplus(-d_real).mean() + softplus(d_fake).mean() + R1 / 2 * grad.pow(2).sum(1).mean()
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()

    # generator; gradients that land in D here are dropped by the next opt_d.zero_grad()
    loss_g = softplus(-D(G(torch.randn(BATCH, Z)))).mean()
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()

    with torch.no_grad():
        for pe, p in zip(g_ema.parameters(), G.parameters()):
            pe.lerp_(p, 0.01)
    if step % 250 == 0:
        q, c = quality(g_ema)
        print(f"step {step:5d}  d {loss_d.item():.3f}  g {loss_g.item():.3f}  high-quality {q:.3f}  modes {c}/{MODES}")
q, c = quality(g_ema, 20000)
print(f"final: high-quality samples {q:.4f}, modes covered {c}/{MODES}")
