"""Classify synthetic peptide strings by family with a 1D CNN. Linear warm-up, then cosine decay."""
import math
import sys

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

AA = "ACDEFGHIKLMNPQRSTVWY"
FAMILIES = 8


def peptides(n, rng, motifs, length=50):
    y = rng.integers(FAMILIES, size=n)
    seqs = rng.integers(len(AA), size=(n, length))
    for i, k in enumerate(y):
        for motif in motifs[k]:
            start = rng.integers(0, length - len(motif))
            keep = rng.random(len(motif)) < 0.9
            seqs[i, start:start + len(motif)][keep] = motif[keep]
    return TensorDataset(torch.from_numpy(seqs), torch.from_numpy(y))


class PeptideNet(nn.Module):
    def __init__(self, dim=16, ch=48):
        super().__init__()
        self.emb = nn.Embedding(len(AA), dim)
        self.conv = nn.Sequential(nn.Conv1d(dim, ch, 7, padding=3), nn.ReLU(),
                                  nn.Conv1d(ch, ch, 5, padding=2), nn.ReLU())
        self.fc = nn.Linear(ch, FAMILIES)

    def forward(self, s):
        h = self.conv(self.emb(s).transpose(1, 2))
        return self.fc(h.amax(dim=2))


def lr_factor(warmup, total):
    def f(step):
        if step < warmup:
            return (step + 1) / warmup
        return 0.5 * (1 + math.cos(math.pi * min(1.0, (step - warmup) / (total - warmup))))
    return f


def evaluate(model, loader):
    model.eval()
    hit = n = 0
    with torch.no_grad():
        for s, y in loader:
            hit += (model(s).argmax(1) == y).sum().item()
            n += len(y)
    return hit / n


def main(epochs=7, batch=64):
    torch.manual_seed(6)
    rng = np.random.default_rng(6)
    motifs = [[rng.integers(len(AA), size=6) for _ in range(2)] for _ in range(FAMILIES)]
    train = DataLoader(peptides(3200, rng, motifs), batch_size=batch, shuffle=True)
    test = DataLoader(peptides(800, rng, motifs), batch_size=200)
    model = PeptideNet()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
    total = epochs * len(train)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lr_factor(warmup=total // 5, total=total))
    for epoch in range(epochs):
        model.train()
        ema = None
        for s, y in train:
            loss = nn.functional.cross_entropy(model(s), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            ema = loss.item() if ema is None else 0.9 * ema + 0.1 * loss.item()
        sched.step()
        sys.stdout.write(f"epoch {epoch + 1}/{epochs} smoothed loss {ema:.4f}\n")
    sys.stdout.write(f"family accuracy on test peptides: {evaluate(model, test):.3f}\n")


if __name__ == "__main__":
    main()
