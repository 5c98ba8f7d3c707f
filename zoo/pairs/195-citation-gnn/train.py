"""Semi-supervised node classification with a graph convolution network on a citation-like graph."""
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    nodes: int = 2400
    classes: int = 6
    features: int = 200
    words: int = 12
    p_in: float = 0.012
    p_out: float = 0.0012
    labelled: int = 60
    hidden: int = 16
    layers: int = 3
    dropout: float = 0.3
    lr: float = 0.01
    weight_decay: float = 5e-4
    epochs: int = 300
    seed: int = 17


def citation_graph(cfg):
    rng = np.random.default_rng(cfg.seed)
    y = rng.integers(cfg.classes, size=cfg.nodes)
    same = y[:, None] == y[None, :]
    upper = np.triu(rng.random((cfg.nodes, cfg.nodes)) < np.where(same, cfg.p_in, cfg.p_out), 1)
    adj = upper | upper.T
    topics = rng.dirichlet(np.full(cfg.features, 0.25), cfg.classes)
    background = np.full(cfg.features, 1 / cfg.features)
    x = np.zeros((cfg.nodes, cfg.features), dtype=np.float32)
    for i in range(cfg.nodes):
        x[i] = rng.multinomial(cfg.words, 0.3 * topics[y[i]] + 0.7 * background)
    x = x / x.sum(1, keepdims=True)
    train = np.concatenate([rng.permutation(np.flatnonzero(y == c))[: cfg.labelled] for c in range(cfg.classes)])
    rest = rng.permutation(np.setdiff1d(np.arange(cfg.nodes), train))
    return adj, x, y, train, rest[:500], rest[500:1500]


def normalised(adj):
    a = torch.from_numpy(adj).float() + torch.eye(len(adj))
    inv = a.sum(1).rsqrt()
    return (inv[:, None] * a * inv[None, :]).to_sparse_csr()


class GraphConv(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.theta = nn.Parameter(torch.empty(n_in, n_out))
        self.bias = nn.Parameter(torch.zeros(n_out))
        nn.init.xavier_uniform_(self.theta)

    def forward(self, a, x):
        return a @ (x @ self.theta) + self.bias


class GCN(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.drop = cfg.dropout
        sizes = [cfg.features] + [cfg.hidden] * cfg.layers
        self.convs = nn.ModuleList(GraphConv(i, o) for i, o in zip(sizes, sizes[1:]))
        self.norms = nn.ModuleList(nn.LayerNorm(cfg.hidden) for _ in range(cfg.layers))
        self.out = nn.Linear(cfg.hidden, cfg.classes)

    def forward(self, a, x):
        for conv, norm in zip(self.convs, self.norms):
            x = F.dropout(x, self.drop, self.training)
            x = F.relu(norm(conv(a, x)))
        return self.out(x)


def parameter_groups(model, weight_decay):
    """Decay matrices only; biases and norms are left alone."""
    decay, plain = [], []
    for name, p in model.named_parameters():
        if name.endswith("bias") or "norms" in name:
            plain.append(p)
        elif name.endswith("weight"):
            decay.append(p)
    return [{"params": decay, "weight_decay": weight_decay}, {"params": plain, "weight_decay": 0.0}]


def train_epoch(model, optimizer, a, x, y, idx):
    model.train()
    optimizer.zero_grad()
    loss = F.cross_entropy(model(a, x)[idx], y[idx])
    loss.backward()
    optimizer.step()
    return loss.item()


@torch.no_grad()
def accuracy(model, a, x, y, idx):
    model.eval()
    return (model(a, x)[idx].argmax(1) == y[idx]).float().mean().item()


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    adj, x, y, train, val, test = citation_graph(cfg)
    a, x, y = normalised(adj), torch.from_numpy(x) * 20, torch.from_numpy(y)
    train, val, test = map(torch.from_numpy, (train, val, test))
    model = GCN(cfg)
    optimizer = torch.optim.Adam(parameter_groups(model, cfg.weight_decay), lr=cfg.lr)
    for epoch in range(1, cfg.epochs + 1):
        loss = train_epoch(model, optimizer, a, x, y, train)
        if epoch % 30 == 0:
            print(f"epoch {epoch:3d} loss {loss:.4f} val acc {accuracy(model, a, x, y, val):.4f}")
    print(f"final test acc {accuracy(model, a, x, y, test):.4f}")


if __name__ == "__main__":
    main()
