"""Fraud-like detection: 2% positives, rare class over-sampled in training only, scored by average precision."""
import argparse

import numpy as np
import torch
from sklearn.datasets import make_classification
from sklearn.metrics import average_precision_score
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=15)
    p.add_argument("--batch-size", type=int, default=128)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--positive-share", type=float, default=0.25)
    p.add_argument("--smoothing", type=float, default=0.02)
    p.add_argument("--seed", type=int, default=6)
    return p.parse_args()


def log_odds(rate):
    return float(np.log(rate / (1 - rate)))


def main():
    args = parse()
    torch.manual_seed(args.seed)
    X, y = make_classification(n_samples=14000, n_features=20, n_informative=10, weights=[0.98], class_sep=1.3,
                               flip_y=0.002, random_state=args.seed)
    X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=0.3, stratify=y, random_state=args.seed)
    mean, std = X_tr.mean(0), X_tr.std(0)
    X_tr = torch.tensor((X_tr - mean) / std, dtype=torch.float32)
    X_te = torch.tensor((X_te - mean) / std, dtype=torch.float32)

    rate = y_tr.mean()
    share = args.positive_share
    weights = np.where(y_tr == 1, share / rate, (1 - share) / (1 - rate))
    sampler = WeightedRandomSampler(torch.as_tensor(weights), num_samples=len(y_tr), replacement=True)
    targets = torch.tensor(y_tr, dtype=torch.float32) * (1 - 2 * args.smoothing) + args.smoothing
    loader = DataLoader(TensorDataset(X_tr, targets), batch_size=args.batch_size, sampler=sampler)

    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
    nn.init.constant_(model[-1].bias, log_odds(share))
    opt = torch.optim.Adam(model.parameters(), lr=args.lr, weight_decay=1e-4)
    loss_fn = nn.BCEWithLogitsLoss()
    correction = log_odds(rate) - log_odds(share)

    print(f"train positives {y_tr.sum()} of {len(y_tr)}; test positives {y_te.sum()} of {len(y_te)}")
    for epoch in range(1, args.epochs + 1):
        model.train()
        total = 0.0
        for xb, tb in loader:
            loss = loss_fn(model(xb).squeeze(1), tb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        model.eval()
        with torch.no_grad():
            prob = torch.sigmoid(model(X_te).squeeze(1) + correction).numpy()
        accuracy = ((prob > 0.5) == y_te).mean()
        print(f"epoch {epoch:2d}  loss {total / len(loader):.4f}  accuracy {accuracy:.4f}  "
              f"avg precision {average_precision_score(y_te, prob):.3f} (chance {y_te.mean():.3f})")


if __name__ == "__main__":
    main()
