"""Self-supervised vibration signatures without negatives (BYOL): predictor on one branch, averaged copy on the other."""
import copy
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.neighbors import KNeighborsClassifier

LENGTH, MACHINES = 64, 8


def recordings(n, seed):
    """Two short tones with a machine-specific pitch, under a slow drift of the mounting that is much larger."""
    world = np.random.default_rng(3)
    pitch = world.uniform(3, 18, size=(MACHINES, 2))
    level = world.uniform(0.5, 1.2, size=(MACHINES, 2))
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 1, LENGTH)
    y = rng.integers(0, MACHINES, n)
    phase = rng.uniform(0, 2 * np.pi, (n, 2, 1))
    tones = (level[y][:, :, None] * np.sin(2 * np.pi * pitch[y][:, :, None] * t + phase)).sum(1)
    return torch.tensor(tones + drift(rng, n) + rng.normal(0, 0.2, (n, LENGTH)), dtype=torch.float32), y


def drift(rng, n):
    t = np.linspace(-1, 1, LENGTH)
    basis = np.stack([np.ones(LENGTH), t, t ** 2, np.sin(2 * t)])
    return rng.normal(0, 1.5, (n, 4)) @ basis


class Views:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def __call__(self, x):
        n = len(x)
        shift = self.rng.integers(0, LENGTH, n)
        index = (np.arange(LENGTH) + np.clip(shift, 0, 20)[:, None]) % LENGTH
        gain = self.rng.uniform(0.7, 1.3, (n, 1))
        extra = drift(self.rng, n) + self.rng.normal(0, 0.15, (n, LENGTH))
        flip = self.rng.choice([-1.0, 1.0], (n, 1))
        out = torch.gather(x, 1, torch.tensor(index)) * torch.tensor(gain * flip, dtype=torch.float32)
        return out + torch.tensor(extra, dtype=torch.float32)


def projector(i, hidden, o):
    return nn.Sequential(nn.Linear(i, hidden), nn.BatchNorm1d(hidden), nn.ReLU(), nn.Linear(hidden, o))


class Branch(nn.Module):
    def __init__(self, width=24, dim=64):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Conv1d(1, width, 9, stride=2, padding=4), nn.BatchNorm1d(width), nn.ReLU(),
            nn.Conv1d(width, 2 * width, 7, stride=2, padding=3), nn.BatchNorm1d(2 * width), nn.ReLU(),
            nn.Conv1d(2 * width, dim, 5, padding=2), nn.BatchNorm1d(dim), nn.ReLU(),
            nn.AdaptiveAvgPool1d(1), nn.Flatten())
        self.project = projector(dim, 128, 32)

    def embed(self, x):
        return self.trunk(x.unsqueeze(1))

    def forward(self, x):
        return self.project(self.embed(x))


class BYOL:
    def __init__(self, steps, lr=3e-3, base_decay=0.98):
        self.online = Branch()
        self.predict = projector(32, 128, 32)
        self.target = copy.deepcopy(self.online)
        for p in self.target.parameters():
            p.requires_grad = False
        self.opt = torch.optim.AdamW([*self.online.parameters(), *self.predict.parameters()], lr=lr, weight_decay=1e-4)
        self.steps, self.base_decay, self.lr, self.t = steps, base_decay, lr, 0

    def distance(self, a, b):
        p = self.predict(self.online(a))
        with torch.no_grad():
            z = self.target(b)
        return -F.cosine_similarity(p, z, dim=-1).mean()

    def update(self, a, b):
        cosine = 0.5 * (1 + math.cos(math.pi * self.t / self.steps))
        self.opt.param_groups[0]["lr"] = self.lr * min(1.0, (self.t + 1) / 30) * cosine
        loss = self.distance(a, b) + self.distance(b, a)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        decay = 1 - (1 - self.base_decay) * cosine
        with torch.no_grad():
            for t, o in zip(self.target.parameters(), self.online.parameters()):
                t.mul_(decay).add_(o, alpha=1 - decay)
        self.t += 1
        return loss.item()


@torch.no_grad()
def neighbour_accuracy(branch, bank, query):
    branch.eval()
    a, b = (F.normalize(branch.embed(v[0]), dim=1).numpy() for v in (bank, query))
    branch.train()
    return KNeighborsClassifier(5).fit(a, bank[1]).score(b, query[1]), a.std(0).mean()


def main():
    torch.manual_seed(44)
    pool, _ = recordings(2400, seed=0)
    bank, test = recordings(160, seed=1), recordings(500, seed=2)
    epochs, batch = 12, 120
    views = Views(seed=5)
    learner = BYOL(epochs * (len(pool) // batch))
    print(f"untrained trunk: 5-nn accuracy {neighbour_accuracy(learner.online, bank, test)[0]:.4f}")
    for epoch in range(epochs):
        parts = torch.randperm(len(pool)).split(batch)
        total = sum(learner.update(views(pool[i]), views(pool[i])) for i in parts)
        acc, spread = neighbour_accuracy(learner.online, bank, test)
        if epoch % 2 == 1:
            print(f"epoch {epoch:2d} loss {total / len(parts):.4f} spread {spread:.4f} 5-nn accuracy {acc:.4f}", flush=True)
    print(f"final 5-nn test accuracy {neighbour_accuracy(learner.online, bank, test)[0]:.4f}")


if __name__ == "__main__":
    main()
