import math
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Cfg:
    size: int = 16
    latent: int = 6
    hidden: int = 160
    beta: float = 1.0
    batch: int = 64
    epochs: int = 22
    lr: float = 2e-3
    seed: int = 5
    history: list = field(default_factory=list)


def shapes(n, size, seed):
    """Soft discs and rectangles at random places."""
    g = torch.Generator().manual_seed(seed)
    yy, xx = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    cx, cy = (torch.rand(2, n, 1, 1, generator=g) * 0.5 + 0.25) * size
    r = torch.rand(n, 1, 1, generator=g) * 2 + 2.5
    disc = torch.sigmoid(3 * (r - ((xx - cx) ** 2 + (yy - cy) ** 2).sqrt()))
    rect = torch.sigmoid(3 * (r - torch.maximum((xx - cx).abs(), 1.6 * (yy - cy).abs())))
    kind = torch.rand(n, 1, 1, generator=g) < 0.5
    return torch.where(kind, disc, rect).flatten(1)


class VAE(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        d = cfg.size ** 2
        self.enc = nn.Sequential(nn.Linear(d, cfg.hidden), nn.ReLU(), nn.Linear(cfg.hidden, cfg.hidden), nn.ReLU())
        self.mu, self.logvar = nn.Linear(cfg.hidden, cfg.latent), nn.Linear(cfg.hidden, cfg.latent)
        self.dec = nn.Sequential(nn.Linear(cfg.latent, cfg.hidden), nn.ReLU(),
                                 nn.Linear(cfg.hidden, cfg.hidden), nn.ReLU(), nn.Linear(cfg.hidden, d))

    def forward(self, x):
        h = self.enc(x)
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.dec(z), mu, logvar


def elbo_terms(logits, x, mu, logvar):
    recon = F.binary_cross_entropy_with_logits(logits, x, reduction="sum") / len(x)
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum() / len(x)
    return recon, kl


def fit(cfg):
    torch.manual_seed(cfg.seed)
    train, test = shapes(6000, cfg.size, 1), shapes(1000, cfg.size, 2)
    vae = VAE(cfg)
    opt = torch.optim.Adam(vae.parameters(), lr=cfg.lr)
    for epoch in range(cfg.epochs):
        vae.train()
        for idx in torch.randperm(len(train)).split(cfg.batch):
            x = train[idx]
            recon, kl = elbo_terms(*((out := vae(x))[:1]), x, *out[1:])
            loss = recon + cfg.beta * kl
            opt.zero_grad()
            loss.backward()
            opt.step()
        cfg.history.append((recon.item(), kl.item()))
        if epoch % 4 == 0:
            print("epoch %2d  recon %.3f  kl %.3f" % (epoch, *cfg.history[-1]))
    return vae, test


def evaluate(vae, test):
    vae.eval()
    with torch.no_grad():
        mu = vae.mu(vae.enc(test))
        rec = torch.sigmoid(vae.dec(mu))
    mse = F.mse_loss(rec, test).item()
    base = (test - test.mean(0)).pow(2).mean().item()
    active = (mu.var(0) > 0.05).sum().item()
    return mse, 1 - mse / base, active


if __name__ == "__main__":
    cfg = Cfg()
    vae, test = fit(cfg)
    mse, r2, active = evaluate(vae, test)
    print(f"test reconstruction mse {mse:.5f} (psnr {-10 * math.log10(mse):.1f} dB), "
          f"variance explained {r2:.3f}, active latents {active}/{cfg.latent}")
