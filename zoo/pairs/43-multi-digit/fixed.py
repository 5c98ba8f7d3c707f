"""Which digits appear on the plate? Multi-label classification of 20x20 canvases holding up to three digits."""
import logging
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.metrics import average_precision_score, f1_score
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
logger = logging.getLogger(__name__)


@dataclass
class Config:
    n_train: int = 2000
    n_test: int = 500
    batch_size: int = 40
    epochs: int = 14
    lr: float = 1e-3
    max_lr: float = 4e-3
    weight_decay: float = 1e-4
    seed: int = 13


def compose(images, targets, n, rng):
    slots = [(1, 1), (1, 11), (11, 1), (11, 11)]
    x = rng.normal(0, 0.1, size=(n, 1, 20, 20))
    y = np.zeros((n, 10))
    for k in range(n):
        for s in rng.choice(4, size=rng.integers(1, 4), replace=False):
            i = rng.integers(len(images))
            r, c = slots[s]
            x[k, 0, r:r + 8, c:c + 8] += images[i]
            y[k, targets[i]] = 1
    x = (x - 0.15) / 0.3
    return TensorDataset(torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32))


class PlateNet(nn.Module):
    def __init__(self, w=20):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, w, 3, padding=1), nn.ReLU(),
            nn.Conv2d(w, 2 * w, 3, padding=1, stride=2), nn.ReLU(),
            nn.Conv2d(2 * w, 2 * w, 4), nn.ReLU(),
        )
        self.head = nn.Linear(2 * w, 10)

    def forward(self, x):
        return self.head(self.features(x).amax((2, 3)))


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    p = torch.cat([model(x).sigmoid() for x, _ in loader]).numpy()
    y = torch.cat([y for _, y in loader]).numpy()
    return average_precision_score(y, p, average="macro"), f1_score(y, p > 0.5, average="micro", zero_division=0)


def main(cfg=Config()):
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    d = load_digits()
    a, b, ya, yb = train_test_split(d.images / 16, d.target, test_size=0.3, random_state=cfg.seed)
    train_dl = DataLoader(compose(a, ya, cfg.n_train, rng), batch_size=cfg.batch_size, shuffle=True)
    test_dl = DataLoader(compose(b, yb, cfg.n_test, rng), batch_size=250)

    model = PlateNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=cfg.max_lr, epochs=cfg.epochs, steps_per_epoch=len(train_dl))
    criterion = nn.BCEWithLogitsLoss()
    for epoch in range(cfg.epochs):
        model.train()
        total = 0.0
        for x, y in train_dl:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            scheduler.step()
            total += loss.item()
        m_ap, f1 = evaluate(model, test_dl)
        logger.info("epoch %d loss %.4f test mAP %.4f micro-F1 %.4f", epoch + 1, total / len(train_dl), m_ap, f1)


if __name__ == "__main__":
    main()
