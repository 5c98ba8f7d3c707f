"""Rating prediction: user/item embeddings + side features through an MLP."""
import os
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn


@dataclass
class Cfg:
    users: int = 240
    items: int = 160
    ratings: int = 24000
    rank: int = 3
    emb: int = 16
    hidden: int = 64
    lr: float = 3e-3
    wd: float = 1e-2
    batch: int = 256
    epochs: int = 14
    seed: int = int(os.environ.get("SEED", 0))


class Ratings:
    def __init__(self, c):
        r = np.random.default_rng(c.seed)
        U, V = r.standard_normal((c.users, c.rank)), r.standard_normal((c.items, c.rank))
        bu, bi = 0.6 * r.standard_normal(c.users), 0.8 * r.standard_normal(c.items)
        u, i = r.integers(0, c.users, c.ratings), r.integers(0, c.items, c.ratings)
        side = r.standard_normal((c.ratings, 3))
        y = bu[u] + bi[i] + 0.6 * (U[u] * V[i]).sum(1) + 0.3 * side[:, 0] + 0.4 * r.standard_normal(c.ratings)
        self.u, self.i = torch.tensor(u), torch.tensor(i)
        self.side = torch.tensor(side, dtype=torch.float32)
        self.y = torch.tensor(y, dtype=torch.float32)
        perm = torch.tensor(r.permutation(c.ratings))
        cut = int(0.85 * c.ratings)
        self.train, self.test = perm[:cut], perm[cut:]

    def get(self, idx):
        return self.u[idx], self.i[idx], self.side[idx], self.y[idx]


class HybridModel(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.user = nn.Embedding(c.users, c.emb)
        self.item = nn.Embedding(c.items, c.emb)
        nn.init.normal_(self.user.weight, std=0.3)
        nn.init.normal_(self.item.weight, std=0.3)
        self.norm = nn.LayerNorm(3 * c.emb + 3)
        self.mlp = nn.Sequential(nn.Linear(3 * c.emb + 3, c.hidden), nn.ReLU(),
                                 nn.Linear(c.hidden, c.hidden), nn.ReLU(), nn.Linear(c.hidden, 1))

    def forward(self, u, i, side):
        eu, ei = self.user(u), self.item(i)
        h = torch.cat([eu, ei, eu * ei, side], -1)
        return self.mlp(self.norm(h)).squeeze(-1)


def build_optimizer(model, c):
    """AdamW; weight decay on matrices of the MLP only, none on biases, norms and lookup tables."""
    decay, no_decay = [], []
    for module in model.modules():
        for name, p in module.named_parameters(recurse=False):
            if name == "bias" or isinstance(module, (nn.LayerNorm, nn.Embedding)):
                no_decay.append(p)
            elif isinstance(module, nn.Linear):
                decay.append(p)
    return torch.optim.AdamW([{"params": decay, "weight_decay": c.wd},
                              {"params": no_decay, "weight_decay": 0.0}], lr=c.lr)


@torch.no_grad()
def rmse(model, data, idx):
    model.eval()
    u, i, s, y = data.get(idx)
    return (model(u, i, s) - y).pow(2).mean().sqrt().item()


def main():
    c = Cfg()
    torch.manual_seed(c.seed)
    data = Ratings(c)
    model = HybridModel(c)
    opt = build_optimizer(model, c)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, c.epochs)
    for epoch in range(c.epochs):
        model.train()
        perm = data.train[torch.randperm(len(data.train))]
        se = 0.0
        for idx in perm.split(c.batch):
            u, i, s, y = data.get(idx)
            loss = nn.functional.mse_loss(model(u, i, s), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            se += loss.item() * len(idx)
        sched.step()
        print(f"[{epoch + 1:02d}] train mse {se / len(perm):.4f}  test rmse {rmse(model, data, data.test):.4f}")
    base = data.y[data.test].std().item()
    print(f"std of test ratings {base:.4f}")
    print(f"final test rmse {rmse(model, data, data.test):.4f}")


if __name__ == "__main__":
    main()
