"""Digits CNN with an exponential moving average of the weights; the averaged model is the one we ship."""
import copy
import math

import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, Dataset


class DigitImages(Dataset):
    def __init__(self, images, labels, augment=False):
        self.images = torch.tensor(images, dtype=torch.float32).unsqueeze(1) / 16.0
        self.labels = torch.tensor(labels)
        self.augment = augment

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        img = self.images[i]
        if self.augment:
            dx, dy = torch.randint(-1, 2, (2,)).tolist()
            img = torch.roll(img, (dx, dy), dims=(1, 2)) + 0.05 * torch.randn_like(img)
        return img, self.labels[i]


def conv_block(c_in, c_out):
    return nn.Sequential(nn.Conv2d(c_in, c_out, 3, padding=1, bias=False), nn.BatchNorm2d(c_out), nn.ReLU())


def build_model():
    return nn.Sequential(
        conv_block(1, 16), conv_block(16, 32), nn.MaxPool2d(2),
        conv_block(32, 32), nn.AdaptiveAvgPool2d(2), nn.Flatten(),
        nn.Linear(128, 10),
    )


class ModelEMA:
    def __init__(self, model, decay=0.99):
        self.module = copy.deepcopy(model).eval()
        self.decay = decay
        self.updates = 0
        for p in self.module.parameters():
            p.requires_grad_(False)

    def effective_decay(self):
        return self.decay * (1 - math.exp(-self.updates / 50))

    @torch.no_grad()
    def update(self, model):
        self.updates += 1
        d = self.effective_decay()
        for ema_p, p in zip(self.module.parameters(), model.parameters()):
            ema_p.mul_(d).add_(p, alpha=1 - d)


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    correct, loss = 0, 0.0
    for x, y in loader:
        out = model(x)
        loss += nn.functional.cross_entropy(out, y, reduction="sum").item()
        correct += (out.argmax(1) == y).sum().item()
    n = len(loader.dataset)
    return loss / n, correct / n


def main():
    torch.manual_seed(0)
    digits = load_digits()
    x_train, x_test, y_train, y_test = train_test_split(
        digits.images, digits.target, test_size=0.25, stratify=digits.target, random_state=0)
    train_loader = DataLoader(DigitImages(x_train, y_train, augment=True), batch_size=64, shuffle=True,
                              drop_last=True)
    test_loader = DataLoader(DigitImages(x_test, y_test), batch_size=256)

    epochs = 12
    model = build_model()
    ema = ModelEMA(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs * len(train_loader))

    for epoch in range(epochs):
        model.train()
        total = 0.0
        for x, y in train_loader:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
            ema.update(model)
            total += loss.item()
        print(f"epoch {epoch + 1:2d} train loss {total / len(train_loader):.4f}")

    test_loss, test_acc = evaluate(ema.module, test_loader)
    print(f"shipped model: test loss {test_loss:.4f} test accuracy {test_acc:.4f}")


if __name__ == "__main__":
    main()
