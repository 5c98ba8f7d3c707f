"""Short epochs over random subsets of a larger table."""
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Sampler, TensorDataset


@dataclass
class Settings:
    rows: int = 12000
    per_epoch: int = 600
    epochs: int = 50
    batch: int = 50
    lr: float = 2e-3
    seed: int = 5


def make_table(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 20, generator=g)
    score = x[:, 0] * x[:, 1] + x[:, 2] * x[:, 3] - x[:, 4] * x[:, 5]
    return x, (score > 0).long()


class SubsetOfEpoch(Sampler):
    def __init__(self, n, k, seed):
        self.n, self.k, self.seed, self.epoch = n, k, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return self.k

    def __iter__(self):
        g = torch.Generator().manual_seed(self.seed * 1000 + self.epoch)
        yield from torch.randperm(self.n, generator=g)[: self.k].tolist()


def accuracy(net, x, y):
    net.eval()
    with torch.no_grad():
        acc = (net(x).argmax(1) == y).float().mean().item()
    net.train()
    return acc


def fit(s):
    torch.manual_seed(s.seed)
    x, y = make_table(s.rows, 0)
    xv, yv = make_table(3000, 1)
    sampler = SubsetOfEpoch(s.rows, s.per_epoch, s.seed)
    loader = DataLoader(TensorDataset(x, y), batch_size=s.batch, sampler=sampler)
    net = nn.Sequential(nn.Linear(20, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 2))
    opt = torch.optim.Adam(net.parameters(), lr=s.lr)
    for epoch in range(s.epochs):
        total = 0.0
        for bx, by in loader:
            loss = F.cross_entropy(net(bx), by)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        if (epoch + 1) % 10 == 0:
            print(f"epoch {epoch + 1:3d}  train loss {total / len(loader):.4f}")
    return accuracy(net, xv, yv)


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(f"held-out accuracy {fit(Settings()):.4f}")
