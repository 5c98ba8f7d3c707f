import torch
import torch.nn.functional as F
from torch import nn


class VAE(nn.Module):
    def __init__(self, n_in=64, hidden=128, latent=12):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(n_in, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU())
        self.mu = nn.Linear(hidden, latent)
        self.logvar = nn.Linear(hidden, latent)
        self.dec = nn.Sequential(nn.Linear(latent, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, n_in))

    def encode(self, x):
        h = self.enc(x)
        return self.mu(h), self.logvar(h).clamp(-8, 8)

    def forward(self, x):
        mu, logvar = self.encode(x)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.dec(z), mu, logvar


def kl_to_standard_normal(mu, logvar):
    return -0.5 * (1 + logvar - mu.square() - logvar.exp()).sum(dim=1).mean()
