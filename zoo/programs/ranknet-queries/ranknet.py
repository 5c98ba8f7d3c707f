"""RankNet on generated search queries: pairwise logistic loss, NDCG@10 on held-out queries."""

import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

N_FEATURES = 12


def make_query(rng: np.random.Generator, hidden: np.ndarray):
    """Feature matrix and graded relevance (0..4) of the documents of one query."""
    n_docs = int(rng.integers(12, 25))
    x = rng.normal(size=(n_docs, N_FEATURES))
    utility = x @ hidden + 0.9 * x[:, 0] * x[:, 1] - 0.6 * np.abs(x[:, 2]) + 0.5 * np.tanh(2 * x[:, 3])
    utility = utility + rng.normal(0, 0.5, n_docs)
    cuts = np.quantile(utility, [0.5, 0.7, 0.85, 0.95])
    rel = np.searchsorted(cuts, utility)
    # query-level offset and scale: raw feature values are not comparable between queries
    x = x * rng.uniform(0.5, 2.0) + rng.normal(0, 2.0)
    return x, rel


def normalise_query(x: np.ndarray) -> np.ndarray:
    return (x - x.mean(axis=0)) / (x.std(axis=0) + 1e-6)


def build_queries(n: int, seed: int):
    hidden = np.random.default_rng(99).normal(0, 0.5, N_FEATURES)
    rng = np.random.default_rng(seed)
    out = []
    for _ in range(n):
        x, rel = make_query(rng, hidden)
        out.append((torch.tensor(normalise_query(x), dtype=torch.float32), torch.tensor(rel)))
    return out


class Scorer(nn.Module):
    def __init__(self, hidden: int = 48):
        super().__init__()
        self.fc1 = nn.Linear(N_FEATURES, hidden)
        self.fc2 = nn.Linear(hidden, hidden)
        self.fc3 = nn.Linear(hidden, 1)

    def forward(self, x):
        h = F.relu(self.fc1(x))
        h = F.relu(self.fc2(h))
        return self.fc3(h).squeeze(-1)


def ranknet_loss(scores: torch.Tensor, rel: torch.Tensor) -> torch.Tensor:
    """Mean of log(1 + exp(-(s_i - s_j))) over the pairs where i is more relevant than j."""
    i, j = torch.where(rel[:, None] > rel[None, :])
    return F.softplus(-(scores[i] - scores[j])).mean()


def dcg(rel: torch.Tensor, k: int) -> torch.Tensor:
    rel = rel[:k].float()
    discount = torch.log2(torch.arange(len(rel)).float() + 2)
    return ((2**rel - 1) / discount).sum()


def ndcg(scores: torch.Tensor, rel: torch.Tensor, k: int = 10) -> float:
    by_score = rel[scores.argsort(descending=True)]
    ideal = rel.sort(descending=True).values
    return (dcg(by_score, k) / dcg(ideal, k)).item()


@torch.no_grad()
def mean_ndcg(model, queries):
    model.eval()
    return float(np.mean([ndcg(model(x), rel) for x, rel in queries]))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=10)
    ap.add_argument("--queries-per-step", type=int, default=4)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()

    torch.manual_seed(args.seed)
    train_q, valid_q, test_q = build_queries(240, 1), build_queries(60, 2), build_queries(150, 3)
    model = Scorer()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr, weight_decay=1e-5)
    print(f"before training: NDCG@10 = {mean_ndcg(model, valid_q):.4f}")

    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        order = torch.randperm(len(train_q)).tolist()
        for k in range(0, len(order), args.queries_per_step):
            group = order[k : k + args.queries_per_step]
            optimizer.zero_grad()
            for q in group:
                x, rel = train_q[q]
                loss = ranknet_loss(model(x), rel) / len(group)
                loss.backward()
                total += loss.item()
            optimizer.step()
        steps = -(-len(order) // args.queries_per_step)
        print(f"epoch {epoch + 1:2d} | pair loss {total / steps:.4f} | valid NDCG@10 {mean_ndcg(model, valid_q):.4f}")

    print(f"test NDCG@10: {mean_ndcg(model, test_q):.4f}")


if __name__ == "__main__":
    main()
