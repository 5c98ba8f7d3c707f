"""Variational autoencoder on the 8x8 digits; latent quality measured by a linear probe."""
import argparse

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--latent", type=int, default=10)
    p.add_argument("--hidden", type=int, default=256)
    p.add_argument("--epochs", type=int, default=60)
    p.add_argument("--warmup", type=int, default=10, help="epochs over which beta goes from 0 to 1")
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--seed", type=int, default=1)
    return p.parse_args()


class VAE(nn.Module):
    def __init__(self, n_in, hidden, latent):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(n_in, hidden), nn.GELU(), nn.Linear(hidden, hidden), nn.GELU())
        self.mu = nn.Linear(hidden, latent)
        self.logvar = nn.Linear(hidden, latent)
        self.decoder = nn.Sequential(
            nn.Linear(latent, hidden), nn.GELU(),
            nn.Linear(hidden, hidden), nn.GELU(),
            nn.Linear(hidden, n_in),
        )

    def encode(self, x):
        h = self.encoder(x)
        return self.mu(h), self.logvar(h).clamp(-8, 8)

    def forward(self, x):
        mu, logvar = self.encode(x)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
        return self.decoder(z), mu, logvar


def reconstruction_term(logits, x):
    return F.binary_cross_entropy_with_logits(logits, x)


def kl_term(mu, logvar):
    return -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(-1).mean()


def run_epoch(model, loader, beta, opt):
    model.train()
    rec_sum = kl_sum = 0.0
    for (x,) in loader:
        logits, mu, logvar = model(x)
        rec, kl = reconstruction_term(logits, x), kl_term(mu, logvar)
        loss = rec + beta * kl
        opt.zero_grad()
        loss.backward()
        opt.step()
        rec_sum += rec.item()
        kl_sum += kl.item()
    return rec_sum / len(loader), kl_sum / len(loader)


@torch.no_grad()
def probe(model, x_train, y_train, x_val, y_val):
    model.eval()
    z_train, z_val = model.encode(x_train)[0].numpy(), model.encode(x_val)[0].numpy()
    clf = LogisticRegression(max_iter=500).fit(z_train, y_train)
    recon = torch.sigmoid(model.decoder(torch.from_numpy(z_val)))
    return clf.score(z_val, y_val), F.mse_loss(recon, x_val).item()


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)
    x, y = load_digits(return_X_y=True)
    x = (x / 16.0).astype(np.float32)
    x_train, x_val, y_train, y_val = train_test_split(x, y, test_size=0.25, stratify=y, random_state=args.seed)
    x_train, x_val = torch.from_numpy(x_train), torch.from_numpy(x_val)
    loader = DataLoader(TensorDataset(x_train), args.batch_size, shuffle=True, drop_last=True)

    model = VAE(x.shape[1], args.hidden, args.latent)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        beta = min(1.0, epoch / args.warmup)
        rec, kl = run_epoch(model, loader, beta, opt)
        if epoch % 5 == 4:
            acc, mse = probe(model, x_train, y_train, x_val, y_val)
            print(f"epoch {epoch:3d} beta {beta:.2f} rec {rec:.4f} kl {kl:.4f} probe {acc:.3f} val mse {mse:.4f}")
    acc, mse = probe(model, x_train, y_train, x_val, y_val)
    print(f"final val probe accuracy {acc:.4f} (reconstruction mse {mse:.4f})")


if __name__ == "__main__":
    main()
