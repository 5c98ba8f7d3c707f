"""Crowd-labelled digits: 35% of the training labels are wrong, uniformly over the other classes.
The rate is known from a double-annotated sample, so the loss uses forward correction."""
import argparse

import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


def corrupt(y, rate, rng, n_classes=10):
    flip = rng.uniform(size=len(y)) < rate
    wrong = (y + rng.integers(1, n_classes, len(y))) % n_classes
    return np.where(flip, wrong, y)


class ForwardCorrectedNLL(nn.Module):
    """-log sum_k T[k, noisy] p(k | x), after Patrini et al. 2017."""

    def __init__(self, rate, n_classes=10):
        super().__init__()
        T = torch.full((n_classes, n_classes), rate / (n_classes - 1))
        T.fill_diagonal_(1 - rate)
        self.register_buffer("T", T)

    def forward(self, logits, noisy):
        p_noisy = logits.softmax(dim=1) @ self.T
        return -torch.log(p_noisy[torch.arange(len(noisy)), noisy]).mean()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--rate", type=float, default=0.35)
    ap.add_argument("--epochs", type=int, default=30)
    ap.add_argument("--seed", type=int, default=0)
    a = ap.parse_args()
    torch.manual_seed(a.seed)
    rng = np.random.default_rng(a.seed)

    x, y = load_digits(return_X_y=True)
    x = (x / 16.0).astype(np.float32)
    xtr, xte, ytr, yte = train_test_split(x, y, test_size=0.3, stratify=y, random_state=a.seed)
    noisy = torch.from_numpy(corrupt(ytr, a.rate, rng))
    xtr, xte, yte = torch.from_numpy(xtr), torch.from_numpy(xte), torch.from_numpy(yte)

    model = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Dropout(0.5), nn.Linear(96, 10))
    criterion = ForwardCorrectedNLL(a.rate)
    opt = torch.optim.Adam(model.parameters(), lr=2e-3, weight_decay=1e-4)
    floor = -(1 - a.rate) * np.log(1 - a.rate) - a.rate * np.log(a.rate / 9)
    print(f"lowest reachable expected loss {floor:.3f}")
    for epoch in range(a.epochs):
        model.train()
        losses = []
        for idx in torch.randperm(len(xtr)).split(64):
            loss = criterion(model(xtr[idx]), noisy[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        if epoch % 3 == 2:
            model.eval()
            with torch.no_grad():
                acc = (model(xte).argmax(1) == yte).float().mean().item()
                agree = (model(xtr).argmax(1) == noisy).float().mean().item()
            print(f"epoch {epoch + 1:2d}  loss {np.mean(losses):.4f}  agreement with noisy labels {agree:.3f}  clean test acc {acc:.4f}")
    print(f"final clean test accuracy {acc:.4f}")


if __name__ == "__main__":
    main()
