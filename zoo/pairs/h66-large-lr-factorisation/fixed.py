"""Implicit-feedback matrix factorisation trained with plain SGD and sampled negatives (BPR)."""
import numpy as np
import torch
from torch import nn

CONFIG = {"users": 300, "items": 150, "dim": 12, "batch": 128, "epochs": 36, "lr": 5.0, "reg": 3e-5, "seed": 13}


def interactions(cfg):
    g = np.random.default_rng(cfg["seed"])
    p = g.normal(size=(cfg["users"], 3))
    q = g.normal(size=(cfg["items"], 3))
    score = p @ q.T + g.gumbel(0, 0.4, (cfg["users"], cfg["items"]))
    liked = np.argsort(-score, axis=1)[:, :24]
    liked = g.permuted(liked, axis=1)
    return liked[:, :20], liked[:, 20:]


class BPR(nn.Module):
    def __init__(self, users, items, dim):
        super().__init__()
        self.user = nn.Embedding(users, dim)
        self.item = nn.Embedding(items, dim)
        self.bias = nn.Embedding(items, 1)
        nn.init.normal_(self.user.weight, std=0.1)
        nn.init.normal_(self.item.weight, std=0.1)
        nn.init.zeros_(self.bias.weight)

    def forward(self, u, i):
        return (self.user(u) * self.item(i)).sum(-1) + self.bias(i).squeeze(-1)

    def penalty(self, u, i, j):
        return self.user(u).pow(2).sum(1) + self.item(i).pow(2).sum(1) + self.item(j).pow(2).sum(1)


def hit_rate(model, train, held_out, k=10):
    with torch.no_grad():
        scores = model.user.weight @ model.item.weight.t() + model.bias.weight.t()
        scores.scatter_(1, torch.from_numpy(train), -float("inf"))
        top = scores.topk(k, dim=1).indices.numpy()
    return np.mean([np.isin(held_out[u], top[u]).mean() for u in range(len(held_out))])


def main(cfg):
    torch.manual_seed(cfg["seed"])
    rng = np.random.default_rng(cfg["seed"] + 1)
    train, held_out = interactions(cfg)
    seen = np.zeros((cfg["users"], cfg["items"]), dtype=bool)
    np.put_along_axis(seen, train, True, axis=1)
    users = np.repeat(np.arange(cfg["users"]), train.shape[1])
    items = train.ravel()

    model = BPR(cfg["users"], cfg["items"], cfg["dim"])
    opt = torch.optim.SGD(model.parameters(), lr=cfg["lr"])
    for epoch in range(cfg["epochs"]):
        order = rng.permutation(len(users))
        total = 0.0
        for start in range(0, len(order), cfg["batch"]):
            rows = order[start:start + cfg["batch"]]
            u, i = users[rows], items[rows]
            j = rng.integers(0, cfg["items"], len(rows))
            while (clash := seen[u, j]).any():
                j[clash] = rng.integers(0, cfg["items"], clash.sum())
            u, i, j = map(torch.from_numpy, (u, i, j))
            loss = -nn.functional.logsigmoid(model(u, i) - model(u, j)).mean()
            objective = loss + cfg["reg"] * model.penalty(u, i, j).mean()
            opt.zero_grad()
            objective.backward()
            opt.step()
            total += loss.item() * len(rows)
        print(f"epoch {epoch + 1:2d} bpr loss {total / len(order):.4f} "
              f"recall@10 {hit_rate(model, train, held_out):.3f} (chance {10 / 130:.3f})")


if __name__ == "__main__":
    main(CONFIG)
