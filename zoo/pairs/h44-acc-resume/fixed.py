"""Digits with Accelerate: train half of the epochs, save everything, rebuild from scratch, resume and finish."""
import tempfile

import torch
import torch.nn as nn
from accelerate import Accelerator
from accelerate.utils import set_seed
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

EPOCHS, SPLIT_AT = 14, 7


def loaders():
    digits = load_digits()
    x = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16.0
    y = torch.tensor(digits.target)
    train_idx, test_idx = train_test_split(torch.arange(len(y)), test_size=0.25, stratify=y, random_state=2)
    return (DataLoader(TensorDataset(x[train_idx], y[train_idx]), batch_size=32, shuffle=True),
            DataLoader(TensorDataset(x[test_idx], y[test_idx]), batch_size=150))


class Progress:
    def __init__(self):
        self.epoch, self.best = 0, 0.0

    def state_dict(self):
        return {"epoch": self.epoch, "best": self.best}

    def load_state_dict(self, state):
        self.epoch, self.best = state["epoch"], state["best"]


def build(accelerator):
    train_loader, test_loader = loaders()
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.AdaptiveAvgPool2d(2),
        nn.Flatten(), nn.Dropout(0.1), nn.Linear(128, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS * len(train_loader))
    progress = Progress()
    prepared = accelerator.prepare(model, optimizer, train_loader, test_loader, scheduler)
    accelerator.register_for_checkpointing(progress)
    return (*prepared, progress)


@torch.no_grad()
def accuracy(accelerator, model, loader):
    model.eval()
    hits = total = 0
    for x, y in loader:
        pred, y = accelerator.gather_for_metrics((model(x).argmax(1), y))
        hits += (pred == y).sum().item()
        total += len(y)
    return hits / total


def run(accelerator, parts, until):
    model, optimizer, train_loader, test_loader, scheduler, progress = parts
    while progress.epoch < until:
        model.train()
        total = 0.0
        for x, y in train_loader:
            loss = nn.functional.cross_entropy(model(x), y, label_smoothing=0.05)
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 2.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
            total += loss.item()
        acc = accuracy(accelerator, model, test_loader)
        progress.epoch += 1
        progress.best = max(progress.best, acc)
        accelerator.print(f"epoch {progress.epoch:2d} loss {total / len(train_loader):.4f} test acc {acc:.4f} "
                          f"lr {scheduler.get_last_lr()[0]:.4f}")
    return acc


def main():
    set_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        accelerator = Accelerator(cpu=True)
        run(accelerator, build(accelerator), SPLIT_AT)
        accelerator.save_state(folder, safe_serialization=False)
        accelerator.free_memory()

        accelerator = Accelerator(cpu=True)
        parts = build(accelerator)
        accelerator.load_state(folder)
        accelerator.print(f"resumed at epoch {parts[-1].epoch}, best so far {parts[-1].best:.4f}")
        acc = run(accelerator, parts, EPOCHS)
    accelerator.print(f"final test accuracy {acc:.4f}")


if __name__ == "__main__":
    main()
