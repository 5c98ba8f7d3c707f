"""BPR ranking with sparse embedding gradients: SparseAdam for the tables, SGD for the scorer,
gradient accumulation over four micro-batches."""
import os

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = int(os.environ.get("SEED", 0))
USERS, ITEMS, ACCUM, MICRO = 300, 200, 4, 128


def interactions(rng, per_user=30):
    u, v = rng.standard_normal((USERS, 5)), rng.standard_normal((ITEMS, 5))
    logits = 1.2 * u @ v.T + 0.5 * rng.standard_normal(ITEMS)
    gumbel = logits + rng.gumbel(size=logits.shape)
    top = np.argsort(-gumbel, 1)[:, :per_user]
    for row in top:
        rng.shuffle(row)
    return top[:, 2:], top[:, :2]


class Ranker(nn.Module):
    def __init__(self, d=16):
        super().__init__()
        self.user = nn.Embedding(USERS, d, sparse=True)
        self.item = nn.Embedding(ITEMS, d, sparse=True)
        self.gate = nn.Linear(d, d)
        nn.init.normal_(self.user.weight, std=0.1)
        nn.init.normal_(self.item.weight, std=0.1)
        nn.init.zeros_(self.gate.weight)
        nn.init.ones_(self.gate.bias)

    def forward(self, u, i):
        e = self.user(u)
        return (self.gate(e) * e * self.item(i)).sum(-1)


@torch.no_grad()
def hit_at(model, seen, held, k=10):
    scores = model(torch.arange(USERS)[:, None], torch.arange(ITEMS)[None, :])
    scores.scatter_(1, torch.tensor(seen), -1e9)
    top = scores.topk(k, 1).indices
    return (top[:, :, None] == torch.tensor(held)[:, None, :]).any(1).float().mean().item()


def main():
    torch.manual_seed(SEED)
    rng = np.random.default_rng(SEED)
    seen, held = interactions(rng)
    mask = torch.zeros(USERS, ITEMS, dtype=torch.bool).scatter_(1, torch.tensor(seen), True)
    pairs = mask.nonzero()
    model = Ranker()
    opt_sparse = torch.optim.SparseAdam([model.user.weight, model.item.weight], lr=5e-3)
    opt_dense = torch.optim.SGD(model.gate.parameters(), lr=0.02, momentum=0.9, nesterov=True)
    for epoch in range(30):
        pairs = pairs[torch.randperm(len(pairs))]
        total, n = 0.0, 0
        micro = list(pairs.split(MICRO))
        micro = micro[:len(micro) // ACCUM * ACCUM]
        for k, batch in enumerate(micro):
            u, pos = batch.T
            neg = torch.randint(ITEMS, (len(u),))
            valid = (~mask[u, neg]).float()
            margin = model(u, pos) - model(u, neg)
            reg = 0.02 * (model.user(u) ** 2 + model.item(pos) ** 2 + model.item(neg) ** 2).sum(-1)
            loss = ((F.softplus(-margin) + reg) * valid).sum() / valid.sum()
            (loss / ACCUM).backward()
            total, n = total + loss.item(), n + 1
            if (k + 1) % ACCUM == 0:
                for opt in (opt_sparse, opt_dense):
                    opt.step()
                    opt.zero_grad(set_to_none=True)
        if epoch % 3 == 2:
            print(f"epoch {epoch + 1:2d}  bpr {total / n:.4f}  hit@10 {hit_at(model, seen, held):.4f}")
    print(f"chance {10 / (ITEMS - seen.shape[1]):.4f}")
    print(f"final hit@10 {hit_at(model, seen, held):.4f}")


if __name__ == "__main__":
    main()
