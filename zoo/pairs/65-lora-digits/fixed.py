"""Adapt a digit classifier to a new scanner (inverted, rotated scans) with low-rank adapters."""
import copy
import logging

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger(__name__)
torch.manual_seed(42)


def standardise(a):
    return ((a - a.mean()) / a.std()).astype("float32").reshape(len(a), -1)


def new_scanner(img):
    img = 16.0 - np.rot90(img, axes=(1, 2))
    return img * np.linspace(0.6, 1.0, img.shape[2])[None, None, :]


class MLP(nn.Module):
    def __init__(self, width=128):
        super().__init__()
        self.fc1 = nn.Linear(64, width)
        self.fc2 = nn.Linear(width, width)
        self.head = nn.Linear(width, 10)

    def forward(self, x):
        return self.head(F.relu(self.fc2(F.relu(self.fc1(x)))))


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, rank=8, alpha=16):
        super().__init__()
        self.base = base
        for p in self.base.parameters():
            p.requires_grad_(False)
        self.lora_a = nn.Parameter(torch.randn(rank, base.in_features) / base.in_features ** 0.5)
        self.lora_b = nn.Parameter(torch.zeros(base.out_features, rank))
        self.scale = alpha / rank

    def forward(self, x):
        return self.base(x) + self.scale * F.linear(F.linear(x, self.lora_a), self.lora_b)


def add_adapters(model, rank=8):
    model = copy.deepcopy(model)
    model.fc1 = LoRALinear(model.fc1, rank)
    model.fc2 = LoRALinear(model.fc2, rank)
    return model


@torch.no_grad()
def accuracy(model, x, y):
    model.eval()
    acc = (model(x).argmax(1) == y).float().mean().item()
    model.train()
    return acc


def fit(model, x, y, x_val, y_val, epochs, lr, tag):
    params = [p for p in model.parameters() if p.requires_grad]
    opt = torch.optim.AdamW(params, lr=lr, weight_decay=1e-4)
    log.info("%s: %d trainable parameters", tag, sum(p.numel() for p in params))
    for epoch in range(epochs):
        total = 0.0
        for idx in torch.randperm(len(x)).split(16):
            loss = F.cross_entropy(model(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        if (epoch + 1) % 5 == 0:
            log.info("%s epoch %2d loss %.4f val acc %.3f", tag, epoch + 1, total / len(x), accuracy(model, x_val, y_val))


def main():
    digits = load_digits()
    tr, te = train_test_split(np.arange(len(digits.target)), test_size=0.3, random_state=0, stratify=digits.target)
    y = torch.from_numpy(digits.target)
    src = torch.from_numpy(standardise(digits.images))
    dst = torch.from_numpy(standardise(new_scanner(digits.images)))

    base = MLP()
    fit(base, src[tr], y[tr], src[te], y[te], epochs=15, lr=1e-3, tag="pretrain")
    log.info("new scanner before adaptation: acc %.3f", accuracy(base, dst[te], y[te]))

    adapted = add_adapters(base)
    fit(adapted, dst[tr], y[tr], dst[te], y[te], epochs=30, lr=1e-3, tag="adapt")
    log.info("new scanner after adaptation: acc %.3f", accuracy(adapted, dst[te], y[te]))


if __name__ == "__main__":
    main()
