"""Matrix factorisation with biases on implicit feedback, sampled negatives, hit-rate evaluation."""
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    users: int = 2500
    items: int = 300
    taste_dim: int = 6
    dim: int = 16
    clicks: int = 24
    batch: int = 256
    negatives: int = 4
    epochs: int = 26
    lr: float = 0.01
    weight_decay: float = 1e-5
    seed: int = 11


def simulate(cfg):
    rng = np.random.default_rng(cfg.seed)
    u = rng.normal(size=(cfg.users, cfg.taste_dim))
    v = rng.normal(size=(cfg.items, cfg.taste_dim))
    pop = rng.normal(size=cfg.items) * 0.6
    score = 1.4 * u @ v.T + pop + rng.gumbel(size=(cfg.users, cfg.items))
    order = np.argsort(-score, axis=1)[:, : cfg.clicks]
    train, held = [], np.zeros(cfg.users, dtype=np.int64)
    for user in range(cfg.users):
        liked = rng.permutation(order[user])
        held[user] = liked[0]
        train += [(user, item) for item in liked[1:]]
    return np.array(train), held


class Factoriser(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.user = nn.Embedding(cfg.users, cfg.dim)
        self.item = nn.Embedding(cfg.items, cfg.dim)
        self.bias = nn.Embedding(cfg.items, 1)
        nn.init.normal_(self.user.weight, std=0.1)
        nn.init.normal_(self.item.weight, std=0.1)
        nn.init.zeros_(self.bias.weight)

    def forward(self, users, items):
        dot = (self.user(users).unsqueeze(1) * self.item(items)).sum(-1)
        return dot + self.bias(items).squeeze(-1)


class Loop:
    """Generic mini-batch loop; subclasses provide the loss."""

    def __init__(self, model, optimizer, pairs, batch):
        self.model, self.optimizer = model, optimizer
        self.pairs, self.batch = torch.as_tensor(pairs), batch

    def batch_begin(self, rows):
        self.optimizer.zero_grad()
        return rows

    def compute_loss(self, rows):
        raise NotImplementedError

    def run_epoch(self):
        self.model.train()
        order, total = torch.randperm(len(self.pairs)), 0.0
        for idx in order.split(self.batch):
            rows = self.batch_begin(self.pairs[idx])
            loss = self.compute_loss(rows)
            loss.backward()
            self.optimizer.step()
            total += loss.item() * len(idx)
        return total / len(self.pairs)


class SampledLoop(Loop):
    def __init__(self, *args, n_items, negatives):
        super().__init__(*args)
        self.n_items, self.negatives = n_items, negatives

    def batch_begin(self, rows):
        drawn = torch.randint(self.n_items, (len(rows), self.negatives))
        return torch.cat([rows, drawn], dim=1)

    def compute_loss(self, rows):
        logits = self.model(rows[:, 0], rows[:, 1:])
        target = torch.zeros_like(logits)
        target[:, 0] = 1.0
        return F.binary_cross_entropy_with_logits(logits, target)


@torch.no_grad()
def hit_rate(model, pairs, held, cfg, k=20):
    model.eval()
    users = torch.arange(cfg.users)
    scores = model(users, torch.arange(cfg.items).expand(cfg.users, -1))
    scores[pairs[:, 0], pairs[:, 1]] = -1e9
    top = scores.topk(k, dim=1).indices
    return (top == torch.as_tensor(held).unsqueeze(1)).any(1).float().mean().item()


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    pairs, held = simulate(cfg)
    model = Factoriser(cfg)
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)
    loop = SampledLoop(model, optimizer, pairs, cfg.batch, n_items=cfg.items, negatives=cfg.negatives)
    for epoch in range(cfg.epochs):
        loss = loop.run_epoch()
        print(f"epoch {epoch + 1:2d} loss {loss:.4f} hit@20 {hit_rate(model, pairs, held, cfg):.4f}")
    print(f"final hit@20 {hit_rate(model, pairs, held, cfg):.4f}")


if __name__ == "__main__":
    main()
