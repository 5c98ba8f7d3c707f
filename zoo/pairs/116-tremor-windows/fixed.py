# Screening for tremor from wrist accelerometer windows, 1D CNN.
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import GroupShuffleSplit
from torch import nn


@dataclass
class Config:
    n_people: int = 90
    windows_per_person: int = 26
    length: int = 96
    rate: float = 32.0
    batch: int = 64
    epochs: int = 8
    lr: float = 2e-3
    seed: int = 11


def record(cfg):
    rng = np.random.default_rng(cfg.seed)
    xs, ys, people = [], [], []
    t = np.arange(cfg.length) / cfg.rate
    for person in range(cfg.n_people):
        sick = person % 2
        gait = rng.uniform(1.2, 2.4)
        mix = rng.normal(0, 0.6, (3, 4))
        gravity = rng.normal(0, 0.8, 3)
        tremor_f = rng.uniform(4.6, 5.6)
        tremor_a = max(0.1, rng.normal(0.8, 0.3)) if sick else max(0.0, rng.normal(0.12, 0.15))
        direction = rng.normal(0, 1, 3)
        direction /= np.linalg.norm(direction)
        for _ in range(cfg.windows_per_person):
            ph = rng.uniform(0, 2 * np.pi)
            base = np.stack([np.sin(2 * np.pi * gait * k * t + ph * k) / k for k in range(1, 5)])
            wave = mix @ base * rng.uniform(0.7, 1.2)
            shake = tremor_a * rng.uniform(0.5, 1.4) * np.sin(2 * np.pi * tremor_f * t + rng.uniform(0, 6.28))
            x = wave + gravity[:, None] + direction[:, None] * shake + rng.normal(0, 0.45, wave.shape)
            xs.append(x)
            ys.append(sick)
            people.append(person)
    return np.asarray(xs, np.float32), np.asarray(ys), np.asarray(people)


def split(x, y, people, seed):
    idx = np.arange(len(y))
    tr, te = next(GroupShuffleSplit(1, test_size=0.25, random_state=seed).split(idx, y, groups=people))
    return tr, te


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv1d(3, 24, 9, padding=4)
        self.c2 = nn.Conv1d(24, 32, 7, padding=3, stride=2)
        self.c3 = nn.Conv1d(32, 32, 5, padding=2, stride=2)
        self.n1, self.n2, self.n3 = nn.BatchNorm1d(24), nn.BatchNorm1d(32), nn.BatchNorm1d(32)
        self.out = nn.Linear(64, 1)

    def forward(self, x):
        x = F.relu(self.n1(self.c1(x)))
        x = F.relu(self.n2(self.c2(x)))
        x = F.relu(self.n3(self.c3(x)))
        x = torch.cat([x.mean(-1), x.amax(-1)], 1)
        return self.out(F.dropout(x, 0.2, self.training)).squeeze(1)


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    x, y, people = record(cfg)
    tr, te = split(x, y, people, cfg.seed)
    mu, sd = x[tr].mean((0, 2), keepdims=True), x[tr].std((0, 2), keepdims=True)
    x = torch.tensor((x - mu) / sd)
    yt = torch.tensor(y, dtype=torch.float32)
    print(f"{len(tr)} training windows, {len(te)} test windows, prevalence {y[te].mean():.2f}")

    net = Net()
    opt = torch.optim.AdamW(net.parameters(), lr=cfg.lr, weight_decay=1e-2)
    tr_t = torch.tensor(tr)
    for epoch in range(cfg.epochs):
        net.train()
        total = 0.0
        for rows in tr_t[torch.randperm(len(tr_t))].split(cfg.batch):
            loss = F.binary_cross_entropy_with_logits(net(x[rows]), yt[rows])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(rows)
        net.eval()
        with torch.no_grad():
            p = torch.sigmoid(net(x[te])).numpy()
        print(f"epoch {epoch:2d} loss {total / len(tr):.4f}  test auc {roc_auc_score(y[te], p):.3f}")
    print(f"held-out balanced accuracy {balanced_accuracy_score(y[te], p > 0.5):.3f}, auc {roc_auc_score(y[te], p):.3f}")


if __name__ == "__main__":
    main()
