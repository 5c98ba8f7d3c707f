"""Crowd-labelled digits: a quarter of the training labels are wrong, the test labels are clean."""
import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

NOISE = 0.25


def corrupt(y, rng):
    y = y.copy()
    flip = rng.random(len(y)) < NOISE
    y[flip] = (y[flip] + rng.integers(1, 10, flip.sum())) % 10
    return y


def main():
    rng = np.random.default_rng(0)
    torch.manual_seed(0)
    X, y = load_digits(return_X_y=True)
    X = (X / 16).astype(np.float32)
    xa, xb, ya, yb = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
    noisy = corrupt(ya, rng)
    print(f"labels changed by the crowd: {(noisy != ya).mean():.2f}")
    xa, noisy, xb, yb = torch.from_numpy(xa), torch.from_numpy(noisy), torch.from_numpy(xb), torch.from_numpy(yb)
    net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, 10))
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=0.05)
    loss_fn = nn.CrossEntropyLoss(label_smoothing=0.2)
    for epoch in range(40):
        net.train()
        tot = 0.0
        for idx in torch.randperm(len(xa)).split(64):
            opt.zero_grad()
            loss = loss_fn(net(xa[idx]), noisy[idx])
            loss.backward()
            opt.step()
            tot += loss.item() * len(idx)
        if epoch % 8 == 0:
            print(f"epoch {epoch:2d} smoothed loss {tot / len(xa):.3f}")
    net.eval()
    with torch.no_grad():
        print(f"clean test accuracy {(net(xb).argmax(1) == yb).float().mean():.3f}")


if __name__ == "__main__":
    main()
