"""MLP on a 6-class tabular problem: SGD, linear warm-up then cosine decay."""
import math
from dataclasses import dataclass

import torch
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    batch_size: int = 64
    epochs: int = 15
    warmup_epochs: int = 2
    lr: float = 0.05
    momentum: float = 0.9
    weight_decay: float = 5e-4
    hidden: int = 128
    seed: int = 0


def get_data(cfg):
    X, y = make_classification(n_samples=8000, n_features=30, n_informative=14, n_redundant=6, n_classes=6,
                               n_clusters_per_class=3, class_sep=1.5, flip_y=0.01, random_state=cfg.seed)
    X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=0.2, stratify=y, random_state=cfg.seed)
    mean, std = X_tr.mean(0), X_tr.std(0)
    make = lambda a, b: TensorDataset(torch.tensor((a - mean) / std, dtype=torch.float32), torch.tensor(b))
    return make(X_tr, y_tr), make(X_te, y_te)


def warmup_cosine(optimizer, warmup_steps, total_steps, floor=0.01):
    def factor(step):
        if step < warmup_steps:
            return (step + 1) / warmup_steps
        progress = (step - warmup_steps) / max(1, total_steps - warmup_steps)
        return floor + (1 - floor) * 0.5 * (1 + math.cos(math.pi * min(1.0, progress)))
    return torch.optim.lr_scheduler.LambdaLR(optimizer, factor)


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    correct = sum((model(x).argmax(1) == y).sum().item() for x, y in loader)
    return correct / len(loader.dataset)


def train(cfg):
    torch.manual_seed(cfg.seed)
    train_set, test_set = get_data(cfg)
    train_loader = DataLoader(train_set, cfg.batch_size, shuffle=True, drop_last=True)
    test_loader = DataLoader(test_set, 512)

    model = nn.Sequential(nn.Linear(30, cfg.hidden), nn.ReLU(),
                          nn.Linear(cfg.hidden, cfg.hidden), nn.ReLU(),
                          nn.Linear(cfg.hidden, 6))
    optimizer = torch.optim.SGD(model.parameters(), lr=cfg.lr, momentum=cfg.momentum,
                                weight_decay=cfg.weight_decay)
    steps_per_epoch = len(train_loader)
    scheduler = warmup_cosine(optimizer, cfg.warmup_epochs * steps_per_epoch, cfg.epochs * steps_per_epoch)
    criterion = nn.CrossEntropyLoss()

    for epoch in range(cfg.epochs):
        model.train()
        seen = 0.0
        for x, y in train_loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            scheduler.step()
            seen += loss.item()
        print(f"epoch {epoch + 1:2d}/{cfg.epochs}  loss {seen / len(train_loader):.4f}  "
              f"test acc {evaluate(model, test_loader):.4f}")


if __name__ == "__main__":
    train(Config())
