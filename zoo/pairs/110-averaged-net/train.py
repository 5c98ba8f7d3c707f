import copy

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn


class Averager:
    """Keeps a slowly moving copy of a network for evaluation."""

    def __init__(self, net, decay=0.98):
        self.decay = decay
        self.net = copy.deepcopy(net).eval()
        for p in self.net.parameters():
            p.requires_grad_(False)

    @torch.no_grad()
    def update(self, net):
        for mine, theirs in zip(self.net.parameters(), net.parameters()):
            mine.lerp_(theirs, 1 - self.decay)


def block(i, o, stride):
    return nn.Sequential(nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU())


def make_net():
    return nn.Sequential(block(1, 16, 1), block(16, 32, 2), block(32, 32, 2), nn.Flatten(), nn.Linear(128, 10))


@torch.no_grad()
def score(net, x, y):
    was = net.training
    net.eval()
    out = net(x)
    net.train(was)
    return F.cross_entropy(out, y).item(), (out.argmax(1) == y).float().mean().item()


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    x, y = load_digits(return_X_y=True)
    x = torch.tensor(x / 16.0, dtype=torch.float32).view(-1, 1, 8, 8)
    y = torch.tensor(y)
    tr, te = train_test_split(np.arange(len(y)), test_size=0.3, random_state=0, stratify=y)
    xa, ya, xb, yb = x[tr], y[tr], x[te], y[te]
    net = make_net()
    avg = Averager(net)
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4, nesterov=True)
    for epoch in range(1, 17):
        net.train()
        for idx in torch.randperm(len(ya)).split(64):
            xb_, yb_ = xa[idx], ya[idx]
            loss = F.cross_entropy(net(xb_), yb_)
            opt.zero_grad()
            loss.backward()
            opt.step()
            avg.update(net)
        if epoch % 4 == 0:
            print(f"epoch {epoch:2d}  last batch loss {loss.item():.4f}  averaged val acc {score(avg.net, xb, yb)[1]:.4f}")
    vl, va = score(avg.net, xb, yb)
    print(f"held-out accuracy of the averaged net {va:.4f}  loss {vl:.4f}")


if __name__ == "__main__":
    main()
