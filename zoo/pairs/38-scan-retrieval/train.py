"""Embedding network for scan retrieval (supervised contrastive loss), scored by recall@1 on held-out scans."""
import glob
import os
import tempfile

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
import torch.nn.functional as F

from prepare import export


def load_scans(root):
    files = sorted(glob.glob(os.path.join(root, "scan_*.npy")))
    labels = pd.read_csv(os.path.join(root, "labels.csv"))["digit"].to_numpy()
    assert len(files) == len(labels)
    x = torch.from_numpy(np.stack([np.load(f) for f in files]))[:, None]
    return (x - x.mean()) / x.std(), torch.tensor(labels)


class Embedder(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(),
            nn.Conv2d(16, 32, 3, padding=1, stride=2), nn.ReLU(),
            nn.Flatten(), nn.Linear(32 * 16, 64), nn.ReLU(),
        )
        self.proj = nn.Linear(64, dim)

    def forward(self, x):
        return F.normalize(self.proj(self.features(x)), dim=1)


def supcon_loss(z, y, tau=0.1):
    sim = z @ z.T / tau
    eye = torch.eye(len(z), dtype=torch.bool)
    sim = sim.masked_fill(eye, -1e9)
    log_p = sim - sim.logsumexp(1, keepdim=True)
    pos = (y[:, None] == y[None, :]) & ~eye
    per_anchor = -(log_p * pos).sum(1) / pos.sum(1).clamp(min=1)
    return per_anchor[pos.any(1)].mean()


def class_balanced_batches(y, n_classes, per_class, n_batches, gen):
    pools = [torch.where(y == c)[0] for c in range(n_classes)]
    for _ in range(n_batches):
        yield torch.cat([p[torch.randint(len(p), (per_class,), generator=gen)] for p in pools])


@torch.no_grad()
def recall_at_1(model, x, y):
    model.eval()
    z = model(x)
    sim = z @ z.T
    sim.fill_diagonal_(-2)
    return (y[sim.argmax(1)] == y).float().mean().item()


def main():
    torch.manual_seed(8)
    gen = torch.Generator().manual_seed(8)
    with tempfile.TemporaryDirectory() as root:
        export(root)
        x, y = load_scans(root)
    perm = torch.randperm(len(x), generator=gen)
    tr, te = perm[:1300], perm[1300:]

    model = Embedder()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-2)
    for epoch in range(15):
        model.train()
        losses = []
        for idx in class_balanced_batches(y[tr], 10, 6, 30, gen):
            xb = x[tr[idx]]
            xb = xb + 0.1 * torch.randn(xb.shape, generator=gen)
            loss = supcon_loss(model(xb), y[tr[idx]])
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1:2d}  loss {np.mean(losses):.4f}  recall@1 {recall_at_1(model, x[te], y[te]):.4f}")


if __name__ == "__main__":
    main()
