"""Pretrain on digits 0-4, then adapt to digits 5-9 from few labels: stem frozen (incl. its BatchNorm), middle at a tiny rate, new zero-initialised head."""
import copy
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits


class ResBlock(nn.Module):
    """Residual block with stochastic depth; last BN gain starts at zero."""

    def __init__(self, c, drop_path):
        super().__init__()
        self.c1, self.b1 = nn.Conv2d(c, c, 3, padding=1, bias=False), nn.BatchNorm2d(c)
        self.c2, self.b2 = nn.Conv2d(c, c, 3, padding=1, bias=False), nn.BatchNorm2d(c)
        nn.init.zeros_(self.b2.weight)
        self.drop_path = drop_path

    def forward(self, x):
        r = self.b2(self.c2(F.relu(self.b1(self.c1(x)))))
        if self.training and self.drop_path:
            keep = 1 - self.drop_path
            r = r * torch.bernoulli(torch.full((len(x), 1, 1, 1), keep)) / keep
        return F.relu(x + r)


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 24, 3, padding=1, bias=False), nn.BatchNorm2d(24), nn.ReLU())
        self.middle = nn.Sequential(ResBlock(24, 0.1), nn.MaxPool2d(2), ResBlock(24, 0.2))
        self.head = nn.Linear(24 * 16, classes)

    def forward(self, x):
        return self.head(self.middle(self.stem(x)).flatten(1))


def accuracy(net, X, y):
    net.eval()
    with torch.no_grad():
        return (net(X).argmax(1) == y).float().mean().item()


def load(lo, hi):
    d = load_digits()
    X = torch.tensor(d.images, dtype=torch.float32).unsqueeze(1)
    X = (X - 4.9) / 6.0
    y = torch.tensor(d.target)
    keep = (y >= lo) & (y < hi)
    X, y = X[keep], y[keep] - lo
    p = torch.randperm(len(y), generator=torch.Generator().manual_seed(0))
    return X[p], y[p]


def pretrain(path):
    X, y = load(0, 5)
    Xtr, ytr, Xva, yva = X[:720], y[:720], X[720:], y[720:]
    net = Net(5)
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-3)
    for ep in range(6):
        net.train()
        for idx in torch.randperm(720).split(48):
            opt.zero_grad()
            F.cross_entropy(net(Xtr[idx]), ytr[idx]).backward()
            opt.step()
        print(f"pretrain {ep}: held-out acc {accuracy(net, Xva, yva):.4f}")
    torch.save({"model": net.state_dict()}, path)


def finetune(path, labels=120):
    X, y = load(5, 10)
    Xtr, ytr, Xva, yva, Xte, yte = X[:labels], y[:labels], X[labels:300], y[labels:300], X[300:], y[300:]
    net = Net(5)
    state = {k: v for k, v in torch.load(path)["model"].items() if not k.startswith("head.")}
    missing, unexpected = net.load_state_dict(state, strict=False)
    assert set(missing) == {"head.weight", "head.bias"} and not unexpected
    nn.init.zeros_(net.head.weight)
    nn.init.zeros_(net.head.bias)

    net.stem.requires_grad_(False)
    opt = torch.optim.AdamW([
        {"params": net.middle.parameters(), "lr": 1e-5, "weight_decay": 0.0},
        {"params": net.head.parameters(), "lr": 2e-3, "weight_decay": 0.5},
    ])
    epochs, micro, accum = 40, 10, 4
    total = epochs * (labels // (micro * accum))
    # warm-up over the first 40 % of training
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / (0.4 * total)))
    for ep in range(epochs):
        net.train()
        net.stem.eval()
        tot = 0.0
        for k, idx in enumerate(torch.randperm(labels).split(micro)):
            loss = F.cross_entropy(net(Xtr[idx]), ytr[idx], label_smoothing=0.1)
            (loss / accum).backward()
            tot += loss.item()
            if (k + 1) % accum == 0:
                opt.step()
                opt.zero_grad()
                sched.step()
        if ep % 5 == 4:
            print(f"finetune {ep + 1}: loss {tot / (k + 1):.4f} val acc {accuracy(net, Xva, yva):.4f} lr {sched.get_last_lr()}")
    return accuracy(net, Xte, yte)


if __name__ == "__main__":
    torch.manual_seed(0)
    if os.path.exists("pre.pt"):
        os.remove("pre.pt")
    pretrain("pre.pt")
    print(f"test acc on 5-9 with 120 labels: {finetune('pre.pt'):.4f}")
