"""Learning to rank: an MLP scorer trained with the ListNet top-one objective on query/document features."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

FEATURES = ["bm25_title", "bm25_body", "clicks", "pagerank", "freshness", "url_depth", "spam", "doc_length"]


class SearchLog:
    """Queries with a fixed-length candidate list, graded relevance 0..4."""

    def __init__(self, n_queries, list_size, seed):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(n_queries, list_size, len(FEATURES)))
        utility = (1.6 * x[..., 0] + 1.0 * x[..., 1] + 0.9 * np.tanh(x[..., 2]) + 0.3 * x[..., 3]
                   + 0.4 * x[..., 4] - 0.6 * np.maximum(x[..., 6], 0) + 0.4 * rng.normal(size=x.shape[:2]))
        order = utility.argsort(1).argsort(1) / (list_size - 1)
        grade = np.digitize(order, [0.4, 0.65, 0.82, 0.94])
        # query length and term rarity shift every text-match score of the query
        x[..., 0] += rng.normal(0, 4.0, size=(n_queries, 1))
        x[..., 1] += rng.normal(0, 4.0, size=(n_queries, 1))
        x[..., 2] += rng.normal(0, 1.0, size=(n_queries, 1))
        self.x = torch.tensor(x, dtype=torch.float32)
        self.grade = torch.tensor(grade, dtype=torch.float32)

    def batches(self, size, shuffle=True):
        idx = torch.randperm(len(self.x)) if shuffle else torch.arange(len(self.x))
        for part in idx.split(size):
            yield self.x[part], self.grade[part]


class Scorer(nn.Module):
    def __init__(self, n_features, mean, std, hidden=64):
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("std", std)
        self.net = nn.Sequential(
            nn.Linear(n_features, hidden), nn.ReLU(),
            nn.Linear(hidden, hidden), nn.ReLU(),
            nn.Linear(hidden, 1))

    def forward(self, x):
        return self.net((x - self.mean) / self.std).squeeze(-1)


def listnet(scores, grades, temperature=1.0):
    target = F.softmax(grades / temperature, dim=1)
    return -(target * F.log_softmax(scores, dim=1)).sum(dim=1).mean()


def ndcg(scores, grades, k=10):
    gains = 2.0 ** grades - 1
    discount = 1.0 / torch.log2(torch.arange(2, k + 2, dtype=torch.float32))
    top = scores.topk(k, dim=-1).indices
    dcg = (gains.gather(-1, top) * discount).sum(-1)
    best = (gains.topk(k, dim=-1).values * discount).sum(-1)
    return dcg / best.clamp_min(1e-9)


@torch.no_grad()
def evaluate(model, log, k=10):
    model.eval()
    values = [ndcg(model(x), g, k) for x, g in log.batches(200, shuffle=False)]
    model.train()
    return torch.cat(values).mean().item()


class Trainer:
    def __init__(self, model, train, valid, epochs=16, batch_queries=16, lr=1e-3, weight_decay=1e-5):
        self.model, self.train_log, self.valid_log = model, train, valid
        self.epochs, self.batch_queries = epochs, batch_queries
        self.opt = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=weight_decay)
        self.history = []

    def fit(self):
        for epoch in range(self.epochs):
            total, n = 0.0, 0
            for x, grades in self.train_log.batches(self.batch_queries):
                loss = listnet(self.model(x), grades)
                self.opt.zero_grad(set_to_none=True)
                loss.backward()
                self.opt.step()
                total, n = total + loss.item(), n + 1
            self.history.append((total / n, evaluate(self.model, self.valid_log)))
            print(f"epoch {epoch:2d} loss {self.history[-1][0]:.4f} valid NDCG@10 {self.history[-1][1]:.4f}", flush=True)
        return self


def main():
    torch.manual_seed(12)
    train = SearchLog(2500, 30, seed=0)
    valid = SearchLog(300, 30, seed=1)
    test = SearchLog(600, 30, seed=2)
    flat = train.x.flatten(0, 1)
    model = Scorer(len(FEATURES), flat.mean(0), flat.std(0))
    print(f"untrained NDCG@10 {evaluate(model, test):.4f}, random order {np.mean([ndcg(torch.rand(600, 30), test.grade).mean() for _ in range(5)]):.4f}")
    Trainer(model, train, valid).fit()
    for k in (1, 5):
        print(f"test NDCG@{k} {evaluate(model, test, k):.4f}")
    print(f"final test NDCG@10 {evaluate(model, test):.4f}")


if __name__ == "__main__":
    main()
