"""Non-saturating GAN on a ring of eight Gaussians."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

MODES = torch.tensor([[math.cos(2 * math.pi * k / 8), math.sin(2 * math.pi * k / 8)] for k in range(8)])


def real_batch(n):
    return MODES[torch.randint(0, 8, (n,))] + 0.05 * torch.randn(n, 2)


def mlp(d_in, d_out, width=128):
    return nn.Sequential(nn.Linear(d_in, width), nn.LeakyReLU(0.2), nn.Linear(width, width), nn.LeakyReLU(0.2),
                         nn.Linear(width, d_out))


class GAN:
    def __init__(self, z_dim=8):
        self.z_dim = z_dim
        self.G, self.D = mlp(z_dim, 2), mlp(2, 1)
        self.G_avg = mlp(z_dim, 2)
        self.G_avg.load_state_dict(self.G.state_dict())
        self.opt_g = torch.optim.Adam(self.G.parameters(), lr=5e-4, betas=(0.5, 0.9))
        self.opt_d = torch.optim.Adam(self.D.parameters(), lr=1e-3, betas=(0.5, 0.9))

    def d_step(self, real, r1=0.3):
        fake = self.G(torch.randn(len(real), self.z_dim)).detach()
        real.requires_grad_(True)
        out_real = self.D(real)
        g = torch.autograd.grad(out_real.sum(), real, create_graph=True)[0]
        loss = F.softplus(-out_real).mean() + F.softplus(self.D(fake)).mean() + r1 * g.pow(2).sum(1).mean()
        self.opt_d.zero_grad()
        loss.backward()
        self.opt_d.step()
        return loss.item()

    def g_step(self, n):
        loss = F.softplus(-self.D(self.G(torch.randn(n, self.z_dim)))).mean()
        self.opt_g.zero_grad()
        loss.backward()
        self.opt_g.step()
        with torch.no_grad():
            for a, p in zip(self.G_avg.parameters(), self.G.parameters()):
                a.lerp_(p, 0.01)
        return loss.item()

    @torch.no_grad()
    def quality(self, n=2000):
        d = torch.cdist(self.G_avg(torch.randn(n, self.z_dim)), MODES)
        near, which = d.min(1)
        good = near < 0.25
        counts = torch.bincount(which[good], minlength=8)
        return good.float().mean().item(), int((counts > n / 80).sum())


def main():
    torch.manual_seed(0)
    gan = GAN()
    for epoch in range(10):
        d_total = g_total = 0.0
        for _ in range(250):
            d_total += gan.d_step(real_batch(128))
            g_total += gan.g_step(128)
        hit, modes = gan.quality()
        print(f"epoch {epoch} D {d_total / 250:.3f} G {g_total / 250:.3f} samples on a mode {hit:.3f} modes {modes}/8")


if __name__ == "__main__":
    main()
