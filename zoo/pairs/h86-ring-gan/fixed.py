# WGAN-GP on eight Gaussians on a ring: critic and generator have their own optimizers.
import math

import torch
import torch.nn as nn

torch.manual_seed(77)
MODES, RADIUS, SIGMA = 8, 2.0, 0.1
LATENT, BATCH, CRITIC_STEPS, GP = 4, 160, 4, 2.0
ITERS = 900

angles = torch.arange(MODES) * 2 * math.pi / MODES
CENTERS = RADIUS * torch.stack([angles.cos(), angles.sin()], 1)


def real_samples(n):
    return CENTERS[torch.randint(0, MODES, (n,))] + SIGMA * torch.randn(n, 2)


def mlp(i, o, width=96, act=nn.ReLU):
    return nn.Sequential(nn.Linear(i, width), act(), nn.Linear(width, width), act(), nn.Linear(width, width), act(),
                         nn.Linear(width, o))


generator = mlp(LATENT, 2)
critic = mlp(2, 1, act=nn.SiLU)
average = mlp(LATENT, 2)
average.load_state_dict(generator.state_dict())
average.requires_grad_(False)
opt_g = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.0, 0.9))
opt_c = torch.optim.Adam(critic.parameters(), lr=2e-3, betas=(0.0, 0.9))


def penalty(real, fake):
    w = torch.rand(len(real), 1)
    mid = (w * real + (1 - w) * fake).requires_grad_(True)
    grad = torch.autograd.grad(critic(mid).sum(), mid, create_graph=True)[0]
    return ((grad.norm(dim=1) - 1) ** 2).mean()


@torch.no_grad()
def quality(net, n=4000):
    """Share of samples within four sigmas of a mode, number of modes with a fair share of them."""
    x = net(torch.randn(n, LATENT))
    dist, which = torch.cdist(x, CENTERS).min(1)
    near = dist < 4 * SIGMA
    counts = torch.bincount(which[near], minlength=MODES)
    return near.float().mean().item(), int((counts > n / MODES * 0.25).sum())


for it in range(1, ITERS + 1):
    for _ in range(CRITIC_STEPS):
        real = real_samples(BATCH)
        with torch.no_grad():
            fake = generator(torch.randn(BATCH, LATENT))
        gap = critic(real).mean() - critic(fake).mean()
        loss_c = -gap + GP * penalty(real, fake)
        opt_c.zero_grad()
        loss_c.backward()
        opt_c.step()

    critic.requires_grad_(False)
    loss_g = -critic(generator(torch.randn(BATCH, LATENT))).mean()
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
    critic.requires_grad_(True)

    decay = 1 - 1 / min(it + 1, 60)
    with torch.no_grad():
        for a, b in zip(average.parameters(), generator.parameters()):
            a.lerp_(b, 1 - decay)
    for opt, base in ((opt_g, 1e-3), (opt_c, 2e-3)):
        opt.param_groups[0]["lr"] = base * min(1.0, 2 * (1 - it / ITERS) + 0.05)

    if it % 150 == 0:
        share, modes = quality(average)
        print(f"iter {it} critic loss {loss_c.item():.4f} generator loss {loss_g.item():.4f} "
              f"wasserstein {gap.item():.4f} near {share:.3f} modes {modes}", flush=True)

share, modes = quality(average)
print(f"final near-mode share {share:.4f} modes {modes}")
