"""Two-stage transfer: pretrain on coarse labels, then warm up a new head and tune everything."""
import numpy as np
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn


class Encoder(nn.Module):
    def __init__(self, width=48):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(64, width), nn.Linear(width, width), nn.Linear(width, 6)])

    def forward(self, x):
        for layer in self.layers:
            x = F.leaky_relu(layer(x), 0.1)
        return x


class Model(nn.Module):
    def __init__(self, encoder, classes):
        super().__init__()
        self.encoder = encoder
        self.head = nn.Linear(6, classes)

    def forward(self, x):
        return self.head(self.encoder(x))


def run_epochs(model, opt, x, y, epochs, tag):
    for epoch in range(epochs):
        total = 0.0
        for idx in torch.randperm(len(x)).split(32):
            loss = F.cross_entropy(model(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        if epoch % 5 == 0 or epoch == epochs - 1:
            print(f"[{tag}] epoch {epoch:2d} loss {total / len(x):.4f}")


@torch.no_grad()
def accuracy(model, x, y):
    return (model(x).argmax(1) == y).float().mean().item()


def main():
    torch.manual_seed(4)
    x, y = load_digits(return_X_y=True)
    x = torch.tensor((x - 4.9) / 6.0, dtype=torch.float32)
    y = torch.tensor(y)
    xtr, xte, ytr, yte = train_test_split(x, y, test_size=0.3, random_state=4, stratify=y)

    encoder = Encoder()
    coarse = Model(encoder, 2)
    opt = torch.optim.Adam(coarse.parameters(), lr=1e-3)
    run_epochs(coarse, opt, xtr, (ytr >= 5).long(), 15, "pretrain")
    print(f"coarse accuracy {accuracy(coarse, xte, (yte >= 5).long()):.3f}")

    model = Model(encoder, 10)
    model.encoder.requires_grad_(False)
    opt = torch.optim.Adam(model.head.parameters(), lr=5e-3)
    run_epochs(model, opt, xtr, ytr, 8, "head")

    model.encoder.requires_grad_(True)
    opt = torch.optim.Adam(
        [{"params": model.encoder.parameters(), "lr": 1e-3}, {"params": model.head.parameters(), "lr": 2e-3}]
    )
    run_epochs(model, opt, xtr, ytr, 30, "full")
    print(f"held-out accuracy {accuracy(model, xte, yte):.3f}")


if __name__ == "__main__":
    main()
