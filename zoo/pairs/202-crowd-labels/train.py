"""Digits with unreliable crowd labels: train long, keep the weights of the best validation epoch."""
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


@dataclass
class Config:
    hidden: int = 384
    wrong: float = 0.45
    lr: float = 1e-3
    batch: int = 32
    epochs: int = 90
    seed: int = 14


class BestWeights:
    """Remembers the model state with the highest score and can put it back."""

    def __init__(self):
        self.score, self.epoch, self.state = -float("inf"), None, None

    def consider(self, score, epoch, model):
        if score <= self.score:
            return False
        self.score, self.epoch = score, epoch
        self.state = {name: value.detach() for name, value in model.state_dict().items()}
        return True

    def restore(self, model):
        model.load_state_dict(self.state)
        return model


def crowd(labels, rate, rng):
    """Replace a share of the labels by a random other class."""
    labels = labels.copy()
    hit = rng.random(len(labels)) < rate
    labels[hit] = (labels[hit] + rng.integers(1, 10, hit.sum())) % 10
    return labels


def data(cfg):
    rng = np.random.default_rng(cfg.seed)
    x, y = load_digits(return_X_y=True)
    x = (x / 16.0).astype(np.float32)
    x_tr, x_rest, y_tr, y_rest = train_test_split(x, y, test_size=0.4, stratify=y, random_state=cfg.seed)
    x_va, x_te, y_va, y_te = train_test_split(x_rest, y_rest, test_size=0.5, stratify=y_rest, random_state=cfg.seed)
    y_tr = crowd(y_tr, cfg.wrong, rng)
    return [tuple(map(torch.from_numpy, pair)) for pair in ((x_tr, y_tr), (x_va, y_va), (x_te, y_te))]


def build(cfg):
    return nn.Sequential(
        nn.Linear(64, cfg.hidden), nn.ReLU(),
        nn.Linear(cfg.hidden, cfg.hidden), nn.ReLU(),
        nn.Linear(cfg.hidden, 10),
    )


def fit_epoch(model, optimizer, x, y, batch):
    model.train()
    total = 0.0
    for idx in torch.randperm(len(x)).split(batch):
        loss = nn.functional.cross_entropy(model(x[idx]), y[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(idx)
    return total / len(x)


@torch.no_grad()
def accuracy(model, x, y):
    model.eval()
    return (model(x).argmax(1) == y).float().mean().item()


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    train, val, test = data(cfg)
    model = build(cfg)
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    best = BestWeights()
    for epoch in range(1, cfg.epochs + 1):
        loss = fit_epoch(model, optimizer, *train, cfg.batch)
        score = accuracy(model, *val)
        star = "*" if best.consider(score, epoch, model) else ""
        if epoch % 5 == 0 or star:
            print(f"epoch {epoch:2d} loss {loss:.4f} val acc {score:.4f} {star}")
    best.restore(model)
    print(f"best epoch {best.epoch} with val acc {best.score:.4f}")
    print(f"final test acc {accuracy(model, *test):.4f}")


if __name__ == "__main__":
    main()
