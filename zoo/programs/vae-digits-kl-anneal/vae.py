import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

CFG = {
    "latent": 8,
    "hidden": 128,
    "batch": 64,
    "epochs": 20,
    "lr": 2e-3,
    "sigma": 0.2,
    "warmup_epochs": 6,
    "seed": 0,
}


def set_seed(seed):
    np.random.seed(seed)
    torch.manual_seed(seed)


def get_loaders(cfg):
    images = load_digits().data.astype("float32") / 16.0
    x_train, x_test = train_test_split(images, test_size=0.25, random_state=cfg["seed"])
    train = TensorDataset(torch.from_numpy(x_train))
    test = TensorDataset(torch.from_numpy(x_test))
    return DataLoader(train, batch_size=cfg["batch"], shuffle=True), DataLoader(test, batch_size=256)


class VAE(nn.Module):
    def __init__(self, d_in, d_hidden, d_latent):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d_in, d_hidden), nn.ReLU(), nn.Linear(d_hidden, d_hidden), nn.ReLU())
        self.to_mu = nn.Linear(d_hidden, d_latent)
        self.to_logvar = nn.Linear(d_hidden, d_latent)
        self.dec = nn.Sequential(
            nn.Linear(d_latent, d_hidden),
            nn.ReLU(),
            nn.Linear(d_hidden, d_hidden),
            nn.ReLU(),
            nn.Linear(d_hidden, d_in),
        )

    def encode(self, x):
        h = self.enc(x)
        return self.to_mu(h), self.to_logvar(h)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        return mu + torch.randn_like(std) * std

    def forward(self, x):
        mu, logvar = self.encode(x)
        return self.dec(self.reparameterize(mu, logvar)), mu, logvar


def elbo_terms(x_hat, x, mu, logvar):
    """Gaussian reconstruction term (up to its constant) and KL, summed over the batch."""
    recon = F.mse_loss(x_hat, x, reduction="sum") / (2 * CFG["sigma"] ** 2)
    kl = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return recon, kl


def train_one_epoch(vae, loader, opt, beta):
    vae.train()
    tot_recon = tot_kl = n = 0
    for (x,) in loader:
        x_hat, mu, logvar = vae(x)
        recon, kl = elbo_terms(x_hat, x, mu, logvar)
        loss = (recon + beta * kl) / x.size(0)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot_recon += recon.item()
        tot_kl += kl.item()
        n += x.size(0)
    return tot_recon / n, tot_kl / n


@torch.no_grad()
def evaluate(vae, loader, n_samples=5):
    vae.eval()
    total = n = 0
    for (x,) in loader:
        for _ in range(n_samples):
            x_hat, mu, logvar = vae(x)
            recon, kl = elbo_terms(x_hat, x, mu, logvar)
            total += (recon + kl).item() / n_samples
        n += x.size(0)
    return total / n


if __name__ == "__main__":
    set_seed(CFG["seed"])
    train_loader, test_loader = get_loaders(CFG)
    vae = VAE(64, CFG["hidden"], CFG["latent"])
    opt = torch.optim.Adam(vae.parameters(), lr=CFG["lr"])
    for epoch in range(1, CFG["epochs"] + 1):
        beta = min(1.0, epoch / CFG["warmup_epochs"])
        recon, kl = train_one_epoch(vae, train_loader, opt, beta)
        if epoch % 4 == 1 or epoch == CFG["epochs"]:
            print(
                f"====> Epoch {epoch:2d} beta {beta:.2f} recon {recon:.2f} kl {kl:.2f} | test -ELBO {evaluate(vae, test_loader):.2f}"
            )
    print(f"Final negative ELBO on test images: {evaluate(vae, test_loader, n_samples=20):.3f} nats")
