import argparse
import math

import torch
import torch.nn as nn

parser = argparse.ArgumentParser()
parser.add_argument("--n_iters", type=int, default=700, help="number of generator updates")
parser.add_argument("--batch_size", type=int, default=128)
parser.add_argument("--lr", type=float, default=1e-3)
parser.add_argument("--b1", type=float, default=0.5, help="adam: decay of first order momentum")
parser.add_argument("--b2", type=float, default=0.9)
parser.add_argument("--latent_dim", type=int, default=4)
parser.add_argument("--n_critic", type=int, default=2)
parser.add_argument("--lambda_gp", type=float, default=1.0)
parser.add_argument("--n_modes", type=int, default=6)
parser.add_argument("--seed", type=int, default=0)
opt = parser.parse_args()
print(opt)

torch.manual_seed(opt.seed)


def sample_real(n):
    angle = torch.randint(opt.n_modes, (n,)) * (2 * math.pi / opt.n_modes)
    centers = torch.stack([angle.cos(), angle.sin()], dim=1) * 1.5
    return centers + 0.12 * torch.randn(n, 2)


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Sequential(
            nn.Linear(opt.latent_dim, 64),
            nn.LeakyReLU(0.2),
            nn.Linear(64, 64),
            nn.LeakyReLU(0.2),
            nn.Linear(64, 2),
        )

    def forward(self, z):
        return self.model(z)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Sequential(
            nn.Linear(2, 64),
            nn.LeakyReLU(0.2),
            nn.Linear(64, 64),
            nn.LeakyReLU(0.2),
            nn.Linear(64, 1),
        )

    def forward(self, x):
        return self.model(x)


def gradient_penalty(D, real, fake):
    alpha = torch.rand(real.size(0), 1)
    inter = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    grads = torch.autograd.grad(D(inter).sum(), inter, create_graph=True)[0]
    return ((grads.norm(2, dim=1) - 1) ** 2).mean()


def sliced_wasserstein(a, b, n_proj=200):
    g = torch.Generator().manual_seed(123)
    theta = torch.randn(2, n_proj, generator=g)
    theta = theta / theta.norm(dim=0)
    pa, pb = (a @ theta).sort(dim=0).values, (b @ theta).sort(dim=0).values
    return (pa - pb).abs().mean().item()


generator = Generator()
discriminator = Discriminator()
optimizer_G = torch.optim.Adam(generator.parameters(), lr=opt.lr, betas=(opt.b1, opt.b2))
optimizer_D = torch.optim.Adam(discriminator.parameters(), lr=opt.lr, betas=(opt.b1, opt.b2))
real_eval = sample_real(2000)

for it in range(opt.n_iters):
    # critic
    for _ in range(opt.n_critic):
        real = sample_real(opt.batch_size)
        fake = generator(torch.randn(opt.batch_size, opt.latent_dim)).detach()
        gp = gradient_penalty(discriminator, real, fake)
        d_loss = discriminator(fake).mean() - discriminator(real).mean() + opt.lambda_gp * gp
        optimizer_D.zero_grad()
        d_loss.backward()
        optimizer_D.step()

    # generator
    fake = generator(torch.randn(opt.batch_size, opt.latent_dim))
    g_loss = -discriminator(fake).mean()
    optimizer_G.zero_grad()
    g_loss.backward()
    optimizer_G.step()

    if it % 100 == 0:
        with torch.no_grad():
            swd = sliced_wasserstein(generator(torch.randn(2000, opt.latent_dim)), real_eval)
        print("[iter %d/%d] [D loss: %f] [G loss: %f] [SWD: %.4f]" % (it, opt.n_iters, d_loss.item(), g_loss.item(), swd))

with torch.no_grad():
    samples = generator(torch.randn(2000, opt.latent_dim))
print("sliced wasserstein distance: %.4f" % sliced_wasserstein(samples, real_eval))
