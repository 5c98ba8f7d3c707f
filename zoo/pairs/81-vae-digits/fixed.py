"""Convolution-free VAE on sklearn digits."""
import os
from types import SimpleNamespace

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.distributions import Independent, Normal, kl_divergence

cfg = SimpleNamespace(latent=8, hidden=128, epochs=40, batch=64, lr=1e-3, beta=1.0,
                      warmup_epochs=8, seed=int(os.environ.get("SEED", 0)))


class Encoder(nn.Module):
    def __init__(self, d, h, z):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d, h), nn.ELU(), nn.Linear(h, h), nn.ELU(), nn.Linear(h, 2 * z))

    def forward(self, x):
        loc, raw = self.net(x).chunk(2, -1)
        return Independent(Normal(loc, F.softplus(raw) + 1e-4), 1)


class VAE(nn.Module):
    def __init__(self, d=64, h=128, z=8):
        super().__init__()
        self.encoder = Encoder(d, h, z)
        self.decoder = nn.Sequential(nn.Linear(z, h), nn.ELU(), nn.Linear(h, h), nn.ELU(), nn.Linear(h, d))
        self.register_buffer("zero", torch.zeros(z))
        self.register_buffer("one", torch.ones(z))

    @property
    def prior(self):
        return Independent(Normal(self.zero, self.one), 1)

    def elbo_terms(self, x):
        q = self.encoder(x)
        z = q.rsample()
        logits = self.decoder(z)
        rec = F.binary_cross_entropy_with_logits(logits, x, reduction="none").sum(-1)
        return rec, kl_divergence(q, self.prior)

    @torch.no_grad()
    def reconstruct(self, x):
        return torch.sigmoid(self.decoder(self.encoder(x).mean))

    @torch.no_grad()
    def generate(self, n):
        return torch.sigmoid(self.decoder(self.prior.sample((n,))))


def load_split(seed):
    x = torch.tensor(load_digits().data, dtype=torch.float32) / 16.0
    perm = torch.randperm(len(x), generator=torch.Generator().manual_seed(seed))
    cut = int(0.8 * len(x))
    return x[perm[:cut]], x[perm[cut:]]


def train_epoch(model, opt, x, beta):
    model.train()
    sums = torch.zeros(2)
    perm = torch.randperm(len(x))
    for idx in perm.split(cfg.batch):
        rec, kl = model.elbo_terms(x[idx])
        loss = (rec + beta * kl).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        sums += torch.tensor([rec.sum().item(), kl.sum().item()])
    return (sums / len(x)).tolist()


@torch.no_grad()
def test_elbo(model, x, repeats=5):
    model.eval()
    total = 0.0
    for _ in range(repeats):
        rec, kl = model.elbo_terms(x)
        total += (rec + kl).mean().item()
    return total / repeats


def main():
    torch.manual_seed(cfg.seed)
    xtr, xte = load_split(cfg.seed)
    model = VAE(xtr.shape[1], cfg.hidden, cfg.latent)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    for epoch in range(cfg.epochs):
        beta = cfg.beta * min(1.0, (epoch + 1) / cfg.warmup_epochs)
        rec, kl = train_epoch(model, opt, xtr, beta)
        if epoch % 5 == 4:
            print(f"epoch {epoch + 1:3d}  rec {rec:.3f}  kl {kl:.3f}  test -elbo {test_elbo(model, xte):.3f}")
    mse = F.mse_loss(model.reconstruct(xte), xte).item()
    print(f"pixel spread of samples {model.generate(256).std(0).mean():.3f}")
    print(f"final test -elbo {test_elbo(model, xte):.3f}")
    print(f"final reconstruction mse {mse:.4f}")


if __name__ == "__main__":
    main()
