"""Fine-tune a small CNN trained on digits 0-4 to digits 5-9 coming from another scanner."""
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    seed: int = 11
    pretrain_epochs: int = 15
    epochs: int = 30
    unfreeze_at: int = 5
    batch_size: int = 32
    lr: float = 2e-3


class Net(nn.Module):
    def __init__(self, n_classes):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 24, 3, padding=1), nn.ReLU(),
            nn.AdaptiveAvgPool2d(2), nn.Flatten(),
            nn.Linear(96, 24), nn.ReLU(),
        )
        self.head = nn.Linear(24, n_classes)

    def forward(self, x):
        return self.head(self.backbone(x))


def load_source_and_target(seed):
    rng = np.random.default_rng(seed)
    d = load_digits()
    x = (d.images / 16.0).astype(np.float32)[:, None]
    y = d.target
    src, tgt = y < 5, y >= 5
    xs, ys = (x[src] - 0.3) / 0.38, y[src]
    # the second scanner has inverted contrast, a weaker dynamic range and sensor noise
    xt = 1.0 - x[tgt] * rng.uniform(0.5, 1.0, size=(tgt.sum(), 1, 1, 1))
    xt = xt + rng.normal(0, 0.1, size=xt.shape)
    xt = ((xt - xt.mean()) / xt.std()).astype(np.float32)
    return (xs.astype(np.float32), ys), (xt, y[tgt] - 5)


def make_loader(x, y, bs, shuffle):
    return DataLoader(TensorDataset(torch.from_numpy(x), torch.from_numpy(y)), batch_size=bs, shuffle=shuffle)


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    hit = n = 0
    for xb, yb in loader:
        hit += (model(xb).argmax(1) == yb).sum().item()
        n += len(yb)
    return hit / n


def run_epoch(model, loader, optimizer):
    model.train()
    total = 0.0
    for xb, yb in loader:
        loss = F.cross_entropy(model(xb), yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(yb)
    return total / len(loader.dataset)


def pretrain(cfg, x, y):
    model = Net(5)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    loader = make_loader(x, y, cfg.batch_size, True)
    for _ in range(cfg.pretrain_epochs):
        loss = run_epoch(model, loader, opt)
    print(f"pretrained: loss {loss:.4f}  acc {accuracy(model, loader):.3f}")
    return model


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    (xs, ys), (xt, yt) = load_source_and_target(cfg.seed)
    source = pretrain(cfg, xs, ys)

    xtr, xte, ytr, yte = train_test_split(xt, yt, test_size=0.3, random_state=cfg.seed, stratify=yt)
    train_dl = make_loader(xtr, ytr, cfg.batch_size, True)
    test_dl = make_loader(xte, yte, 256, False)

    model = Net(5)
    model.backbone.load_state_dict(source.backbone.state_dict())

    # stage 1: only the head
    for p in model.backbone.parameters():
        p.requires_grad = False
    trainable = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trainable, lr=cfg.lr, weight_decay=1e-4)

    for epoch in range(cfg.epochs):
        if epoch == cfg.unfreeze_at:
            # stage 2: everything
            for p in model.backbone.parameters():
                p.requires_grad = True
            optimizer.add_param_group({"params": list(model.backbone.parameters())})
            print("backbone unfrozen")
        loss = run_epoch(model, train_dl, optimizer)
        print(f"epoch {epoch + 1:2d}  loss {loss:.4f}  test acc {accuracy(model, test_dl):.4f}")


if __name__ == "__main__":
    main()
