"""Digit images read class folder by class folder; a network whose input normalisation is calibrated once and kept."""
import argparse

import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, Dataset, RandomSampler, SequentialSampler


class FolderDigits(Dataset):
    """Mimics one folder per class: items are listed folder after folder."""

    def __init__(self, images, labels, jitter=0.0):
        self.items = [(images[i], c) for c in range(10) for i in range(len(labels)) if labels[i] == c]
        self.jitter = jitter

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        image, label = self.items[i]
        image = torch.tensor(image, dtype=torch.float32).view(1, 8, 8)
        if self.jitter:
            image = image * (1 + self.jitter * torch.randn(())) + torch.randn_like(image)
        return image, label


class CalibratedBackbone(nn.Module):
    """Base class: `input_norm` gets its statistics from the data once and stays fixed afterwards."""

    def __init__(self):
        super().__init__()
        self.input_norm = nn.BatchNorm2d(1, affine=False, momentum=None)

    @torch.no_grad()
    def calibrate(self, loader):
        self.input_norm.reset_running_stats()
        self.input_norm.train()
        for images, _ in loader:
            self.input_norm(images)
        return self.train()

    def train(self, mode=True):
        super().train(mode)
        self.input_norm.eval()
        return self


class DigitNet(CalibratedBackbone):
    def __init__(self, width=20, classes=10, dropout=0.25):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1, bias=False), nn.BatchNorm2d(2 * width), nn.ReLU(), nn.MaxPool2d(2),
        )
        self.classifier = nn.Sequential(
            nn.Flatten(), nn.Linear(8 * width, 64, bias=False), nn.BatchNorm1d(64), nn.ReLU(),
            nn.Dropout(dropout), nn.Linear(64, classes),
        )

    def forward(self, images):
        return self.classifier(self.features(self.input_norm(images)))


class Meter:
    def __init__(self):
        self.sum, self.n = 0.0, 0

    def add(self, value, n=1):
        self.sum, self.n = self.sum + float(value) * n, self.n + n

    @property
    def mean(self):
        return self.sum / max(1, self.n)


def evaluate(model, loader, criterion):
    model.eval()
    loss, acc = Meter(), Meter()
    with torch.inference_mode():
        for images, labels in loader:
            logits = model(images)
            loss.add(criterion(logits, labels), len(labels))
            acc.add((logits.argmax(1) == labels).float().mean(), len(labels))
    return loss.mean, acc.mean


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=28)
    p.add_argument("--batch", type=int, default=48)
    p.add_argument("--eval-batch", type=int, default=16)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--seed", type=int, default=1)
    args = p.parse_args()
    torch.manual_seed(args.seed)

    x, y = load_digits(return_X_y=True)
    x_tr, x_va, y_tr, y_va = train_test_split(x, y, test_size=0.3, random_state=args.seed, stratify=y)
    train_set, val_set = FolderDigits(x_tr, y_tr, jitter=0.1), FolderDigits(x_va, y_va)
    train = DataLoader(train_set, args.batch, sampler=RandomSampler(train_set), drop_last=True)
    val = DataLoader(val_set, args.eval_batch, sampler=SequentialSampler(val_set))

    model = DigitNet().calibrate(train)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-2)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(args.epochs):
        model.train()
        meter = Meter()
        for images, labels in train:
            loss = criterion(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            meter.add(loss.item())
        val_loss, acc = evaluate(model, val, criterion)
        print(f"epoch {epoch + 1:2d} train {meter.mean:.4f} val {val_loss:.4f} acc {acc:.4f}")
    print(f"final val acc {acc:.4f}")


if __name__ == "__main__":
    main()
