"""Two-tower retrieval on implicit feedback: in-batch sampled softmax with popularity correction."""
import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def interactions(n_users, n_items, per_user, seed):
    """Users and items live in a 6-d taste space; popular items are over-represented in the log."""
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(12, 6)) * 1.6
    users = centers[rng.integers(0, 12, n_users)] + 0.5 * rng.normal(size=(n_users, 6))
    items = centers[rng.integers(0, 12, n_items)] + 0.5 * rng.normal(size=(n_items, 6))
    popularity = rng.normal(0, 1.0, n_items)
    score = users @ items.T * 0.9 + popularity
    gumbel = rng.gumbel(size=score.shape)
    picks = np.argsort(-(score + gumbel), axis=1)[:, :per_user]
    for row in picks:
        rng.shuffle(row)
    return picks


class Tower(nn.Module):
    def __init__(self, n, dim, hidden=64):
        super().__init__()
        self.table = nn.Embedding(n, dim, sparse=True)
        nn.init.normal_(self.table.weight, std=0.1)
        self.mlp = nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, dim))

    def forward(self, ids):
        e = self.table(ids)
        return F.normalize(e + self.mlp(e), dim=-1)


class Retrieval(nn.Module):
    def __init__(self, n_users, n_items, dim=24):
        super().__init__()
        self.user, self.item = Tower(n_users, dim), Tower(n_items, dim)
        self.log_scale = nn.Parameter(torch.tensor(2.3))

    def loss(self, users, items, log_q):
        logits = self.user(users) @ self.item(items).T * self.log_scale.exp()
        logits = logits - log_q[items]
        same = items[None, :] == items[:, None]
        same.fill_diagonal_(False)
        logits = logits.masked_fill(same, float("-inf"))
        return F.cross_entropy(logits, torch.arange(len(users)), reduction="sum")


@torch.no_grad()
def recall(model, seen, held, k=20):
    model.eval()
    scores = model.user(torch.arange(len(held))) @ model.item(torch.arange(model.item.table.num_embeddings)).T
    scores.scatter_(1, seen, float("-inf"))
    top = scores.topk(k, dim=1).indices
    hits = (top.unsqueeze(2) == held.unsqueeze(1)).any(1).float()
    model.train()
    return hits.mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--users", type=int, default=2000)
    ap.add_argument("--items", type=int, default=600)
    ap.add_argument("--epochs", type=int, default=7)
    ap.add_argument("--batch", type=int, default=512)
    ap.add_argument("--table-lr", type=float, default=6e-3)
    ap.add_argument("--net-lr", type=float, default=2e-3)
    args = ap.parse_args()
    torch.manual_seed(50)
    log = torch.tensor(interactions(args.users, args.items, 24, seed=50))
    seen, held = log[:, :20], log[:, 20:]
    pairs = torch.stack([torch.arange(args.users).repeat_interleave(20), seen.reshape(-1)], 1)
    freq = torch.bincount(pairs[:, 1], minlength=args.items).float() + 1
    log_q = (freq / freq.sum()).log()
    popular = freq.argsort(descending=True)[:20]
    base = (held.unsqueeze(2) == popular).any(2).float().mean().item()
    print(f"{len(pairs)} interactions, recall@20 of the popularity list {base:.4f}")

    model = Retrieval(args.users, args.items)
    tables = [model.user.table.weight, model.item.table.weight]
    chosen = {id(p) for p in tables}
    dense = [p for p in model.parameters() if id(p) not in chosen]
    optimizers = [torch.optim.SparseAdam(tables, lr=args.table_lr), torch.optim.AdamW(dense, lr=args.net_lr)]
    for epoch in range(args.epochs):
        total = 0.0
        for idx in torch.randperm(len(pairs)).split(args.batch):
            loss = model.loss(pairs[idx, 0], pairs[idx, 1], log_q)
            for opt in optimizers:
                opt.zero_grad()
            loss.backward()
            for opt in optimizers:
                opt.step()
            with torch.no_grad():
                model.log_scale.clamp_(max=4.0)
            total += loss.item()
        print(f"epoch {epoch} loss {total / (len(pairs) / args.batch):.1f} scale {model.log_scale.exp().item():.2f} "
              f"recall@20 {recall(model, seen, held):.4f}", flush=True)
    print(f"final recall@20 {recall(model, seen, held):.4f}")


if __name__ == "__main__":
    main()
