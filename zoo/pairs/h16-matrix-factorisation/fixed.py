"""Explicit-feedback recommender: biased matrix factorisation."""
import numpy as np
import torch
from torch import nn


class Ratings:
    """Simulated ratings with user/item biases and 5 hidden tastes, clipped to 1..5 in half stars."""

    def __init__(self, n_users=500, n_items=300, density=0.22, rank=5, seed=0):
        rng = np.random.default_rng(seed)
        U, V = rng.normal(0, 1, (n_users, rank)), rng.normal(0, 1, (n_items, rank))
        full = 3.4 + rng.normal(0, .35, (n_users, 1)) + rng.normal(0, .4, (1, n_items)) + 0.38 * U @ V.T
        full = np.clip(np.round(2 * (full + rng.normal(0, .25, full.shape))) / 2, 1, 5)
        u, i = np.nonzero(rng.random(full.shape) < density)
        order = rng.permutation(len(u))
        u, i = u[order], i[order]
        self.u, self.i = torch.from_numpy(u), torch.from_numpy(i)
        self.r = torch.from_numpy(full[u, i]).float()
        self.n_users, self.n_items = n_users, n_items

    def split(self, fractions=(0.8, 0.1)):
        n = len(self.r)
        a, b = int(fractions[0] * n), int(sum(fractions) * n)
        return [(self.u[s], self.i[s], self.r[s]) for s in (slice(0, a), slice(a, b), slice(b, n))]


class BiasedMF(nn.Module):
    def __init__(self, n_users, n_items, k, mean):
        super().__init__()
        self.P, self.Q = nn.Embedding(n_users, k), nn.Embedding(n_items, k)
        self.bu, self.bi = nn.Embedding(n_users, 1), nn.Embedding(n_items, 1)
        self.register_buffer("mean", torch.tensor(mean))
        for e in (self.P, self.Q):
            nn.init.normal_(e.weight, std=0.1)
        for e in (self.bu, self.bi):
            nn.init.zeros_(e.weight)

    def forward(self, u, i):
        return self.mean + self.bu(u).squeeze(-1) + self.bi(i).squeeze(-1) + (self.P(u) * self.Q(i)).sum(-1)


class Recommender:
    def __init__(self, k=8, lr=0.01, reg=0.03, epochs=25, batch=512, patience=3):
        self.k, self.lr, self.reg, self.epochs, self.batch, self.patience = k, lr, reg, epochs, batch, patience

    def fit(self, train, val, n_users, n_items):
        u, i, r = train
        self.net = BiasedMF(n_users, n_items, self.k, r.mean().item())
        opt = torch.optim.Adam(self.net.parameters(), lr=self.lr)
        best, bad = float("inf"), 0
        for ep in range(self.epochs):
            self.net.train()
            se = 0.0
            for idx in torch.randperm(len(r)).split(self.batch):
                uu, ii, rr = u[idx], i[idx], r[idx]
                err = self.net(uu, ii) - rr
                # per-rating L2, as in the Netflix-prize papers
                penalty = self.net.P(uu).pow(2).sum(-1) + self.net.Q(ii).pow(2).sum(-1)
                loss = (err.pow(2) + self.reg * penalty).mean()
                opt.zero_grad()
                loss.backward()
                opt.step()
                se += err.detach().pow(2).sum().item()
            v = self.rmse(val)
            print(f"epoch {ep + 1}: train rmse {(se / len(r)) ** .5:.4f}  val rmse {v:.4f}")
            if v < best - 1e-4:
                best, bad = v, 0
                self.state = {k: t.clone() for k, t in self.net.state_dict().items()}
            elif (bad := bad + 1) >= self.patience:
                break
        self.net.load_state_dict(self.state)
        return self

    @torch.no_grad()
    def rmse(self, split):
        u, i, r = split
        self.net.eval()
        return (self.net(u, i).clamp(1, 5) - r).pow(2).mean().sqrt().item()


if __name__ == "__main__":
    torch.manual_seed(0)
    data = Ratings()
    train, val, test = data.split()
    print("ratings:", len(train[2]), len(val[2]), len(test[2]))
    rec = Recommender().fit(train, val, data.n_users, data.n_items)
    base = (test[2] - train[2].mean()).pow(2).mean().sqrt().item()
    print(f"test rmse {rec.rmse(test):.4f}  (global mean {base:.4f})")
