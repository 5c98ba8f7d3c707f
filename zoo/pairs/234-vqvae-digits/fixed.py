"""VQ-VAE on the 8x8 digits. 2x2 grid of codes per image; metric = reconstruction MSE on held-out images."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits


class VectorQuantizer(nn.Module):
    """Nearest-codeword lookup with EMA-free codebook loss (van den Oord et al., 2017)."""

    def __init__(self, n_codes, dim, beta=0.25):
        super().__init__()
        self.n_codes, self.dim, self.beta = n_codes, dim, beta
        self.codebook = nn.Embedding(n_codes, dim)
        nn.init.uniform_(self.codebook.weight, -0.5, 0.5)

    def forward(self, z):
        b, c, h, w = z.shape
        flat = z.permute(0, 2, 3, 1).reshape(-1, c)
        dist = (
            flat.pow(2).sum(1, keepdim=True)
            - 2 * flat @ self.codebook.weight.T
            + self.codebook.weight.pow(2).sum(1)
        )
        idx = dist.argmin(1)
        q = self.codebook(idx).view(b, h, w, c).permute(0, 3, 1, 2)
        codebook_loss = F.mse_loss(q, z.detach())
        commit_loss = F.mse_loss(z, q.detach())
        q = z + (q - z).detach()
        return q, codebook_loss + self.beta * commit_loss, idx

    @torch.no_grad()
    def revive(self, z, idx):
        """replace codes that were not used by random encoder outputs"""
        flat = z.permute(0, 2, 3, 1).reshape(-1, self.dim)
        used = torch.bincount(idx, minlength=self.n_codes) > 0
        dead = (~used).nonzero().squeeze(1)
        if len(dead):
            pick = flat[torch.randint(len(flat), (len(dead),))]
            self.codebook.weight[dead] = pick + 0.01 * torch.randn_like(pick)
        return int(used.sum())


class VQVAE(nn.Module):
    def __init__(self, hidden=32, dim=8, n_codes=48):
        super().__init__()
        self.enc = nn.Sequential(
            nn.Conv2d(1, hidden, 3, padding=1), nn.ReLU(),
            nn.Conv2d(hidden, hidden, 4, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(hidden, hidden, 4, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(hidden, dim, 1),
        )
        self.vq = VectorQuantizer(n_codes, dim)
        self.dec = nn.Sequential(
            nn.Conv2d(dim, hidden, 3, padding=1), nn.ReLU(),
            nn.ConvTranspose2d(hidden, hidden, 4, stride=2, padding=1), nn.ReLU(),
            nn.ConvTranspose2d(hidden, hidden, 4, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(hidden, 1, 3, padding=1),
        )

    def forward(self, x):
        z = self.enc(x)
        q, vq_loss, idx = self.vq(z)
        return self.dec(q), vq_loss, z, idx


def data(seed):
    x = load_digits().images.astype(np.float32) / 16.0
    x = torch.from_numpy((x - x.mean()) / x.std()).unsqueeze(1)
    perm = torch.randperm(len(x), generator=torch.Generator().manual_seed(seed))
    return x[perm[:1437]], x[perm[1437:]]


def main():
    seed = 0
    torch.manual_seed(seed)
    train, test = data(seed)
    model = VQVAE()
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    n_epochs = 28
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, n_epochs, eta_min=1e-4)
    for epoch in range(n_epochs):
        model.train()
        rec_sum = vq_sum = 0.0
        seen = []
        for idx in torch.randperm(len(train)).split(64):
            x = train[idx]
            recon, vq_loss, z, codes = model(x)
            rec = F.mse_loss(recon, x)
            loss = rec + vq_loss
            opt.zero_grad()
            loss.backward()
            opt.step()
            rec_sum += rec.item() * len(x)
            vq_sum += vq_loss.item() * len(x)
            seen.append(codes)
        used = model.vq.n_codes
        if epoch < n_epochs // 2:
            used = model.vq.revive(z, torch.cat(seen))
        sched.step()
        if epoch % 4 == 3:
            model.eval()
            with torch.no_grad():
                test_mse = F.mse_loss(model(test)[0], test).item()
            print(f"epoch {epoch + 1:3d} rec {rec_sum / len(train):.4f} vq {vq_sum / len(train):.4f} "
                  f"codes {used} test mse {test_mse:.4f}")
    model.eval()
    with torch.no_grad():
        recon, _, _, idx = model(test)
        p = torch.bincount(idx, minlength=48).float() / len(idx)
        perplexity = torch.exp(-(p * (p + 1e-10).log()).sum()).item()
    print(f"code perplexity {perplexity:.1f}")
    print(f"test reconstruction MSE: {F.mse_loss(recon, test).item():.4f}")


if __name__ == "__main__":
    main()
