"""Message-passing network that regresses a scalar property of small random graphs."""
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class Config:
    n_graphs: int = 2400
    n_val: int = 400
    max_nodes: int = 14
    n_types: int = 4
    dim: int = 48
    rounds: int = 3
    epochs: int = 40
    batch_size: int = 64
    lr: float = 2e-3
    seed: int = 3


class GraphData(Dataset):
    """Atoms with a type, bonds at random; the property depends on types and on bonded pairs."""

    def __init__(self, cfg, n, rng):
        weight = np.array([0.4, -0.3, 0.9, -0.8])
        pair = np.array([[0.2, -0.4, 0.1, 0.5], [-0.4, 0.3, 0.6, -0.2],
                         [0.1, 0.6, -0.5, 0.2], [0.5, -0.2, 0.2, -0.6]])
        N = cfg.max_nodes
        self.types = np.zeros((n, N), dtype=np.int64)
        self.adj = np.zeros((n, N, N), dtype=np.float32)
        self.mask = np.zeros((n, N), dtype=np.float32)
        self.y = np.zeros(n, dtype=np.float32)
        for g in range(n):
            k = rng.integers(6, N + 1)
            t = rng.integers(0, cfg.n_types, k)
            a = np.triu(rng.random((k, k)) < 2.2 / k, 1).astype(np.float32)
            a = a + a.T
            self.types[g, :k], self.mask[g, :k] = t, 1
            self.adj[g, :k, :k] = a
            self.y[g] = weight[t].sum() + 0.5 * (a * pair[t][:, t]).sum() + 0.05 * rng.normal()

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.types[i], self.adj[i], self.mask[i], self.y[i]


class MessagePassing(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.message = nn.Sequential(nn.Linear(dim, dim), nn.SiLU())
        self.update = nn.Sequential(nn.Linear(2 * dim, dim), nn.SiLU(), nn.Linear(dim, dim))

    def forward(self, h, adj, mask):
        m = adj @ self.message(h)
        return h + self.update(torch.cat([h, m], -1)) * mask.unsqueeze(-1)


class PropertyNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.embed = nn.Embedding(cfg.n_types, cfg.dim)
        self.rounds = nn.ModuleList([MessagePassing(cfg.dim) for _ in range(cfg.rounds)])
        self.readout = nn.Sequential(nn.Linear(cfg.dim, cfg.dim), nn.SiLU(), nn.Linear(cfg.dim, 1))

    def forward(self, types, adj, mask):
        h = self.embed(types) * mask.unsqueeze(-1)
        for layer in self.rounds:
            h = layer(h, adj, mask)
        return (self.readout(h) * mask.unsqueeze(-1)).sum(1)


def huber(pred, target, delta=1.0):
    err = (pred - target).abs()
    return torch.where(err < delta, 0.5 * err ** 2, delta * (err - 0.5 * delta)).mean()


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    pred, true = [], []
    for types, adj, mask, y in loader:
        pred.append(model(types, adj, mask).flatten())
        true.append(y)
    pred, true = torch.cat(pred), torch.cat(true)
    mae = (pred - true).abs().mean().item()
    r2 = 1 - ((pred - true) ** 2).sum().item() / ((true - true.mean()) ** 2).sum().item()
    return mae, r2


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    train = DataLoader(GraphData(cfg, cfg.n_graphs, rng), cfg.batch_size, shuffle=True)
    val = DataLoader(GraphData(cfg, cfg.n_val, rng), 200)
    model = PropertyNet(cfg)
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, cfg.lr, total_steps=cfg.epochs * len(train))

    for epoch in range(cfg.epochs):
        model.train()
        total = 0.0
        for types, adj, mask, y in train:
            loss = huber(model(types, adj, mask), y)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            sched.step()
            total += loss.item()
        mae, r2 = evaluate(model, val)
        print(f"epoch {epoch:2d} loss {total / len(train):.4f} val mae {mae:.4f} r2 {r2:.3f}")
    print(f"final val r2 {evaluate(model, val)[1]:.4f}")


if __name__ == "__main__":
    main()
