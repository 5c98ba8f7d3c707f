"""Transductive node classification with a two-layer GCN; the whole graph is one batch, every epoch."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def sbm(n_per=100, k=4, p_in=0.045, p_out=0.006, d=16, seed=0):
    """Stochastic block model. Nodes come grouped by community, features are weak."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(k), n_per)
    n = len(y)
    prob = np.where(y[:, None] == y[None], p_in, p_out)
    upper = np.triu(rng.random((n, n)) < prob, 1)
    A = (upper | upper.T).astype(np.float32)
    centres = rng.normal(0, 1, (k, d))
    X = 0.35 * centres[y] + rng.normal(0, 1, (n, d))
    return torch.tensor(A), torch.tensor(X, dtype=torch.float32), torch.tensor(y)


def normalise(A):
    A = A + torch.eye(len(A))
    d = A.sum(1).rsqrt()
    return (d[:, None] * A * d[None]).to_sparse()


class GCN(nn.Module):
    def __init__(self, d, h, k, p=0.5):
        super().__init__()
        self.l1, self.l2, self.p = nn.Linear(d, h), nn.Linear(h, k), p

    def forward(self, A, x):
        x = F.dropout(x, 0.2, self.training)
        x = F.relu(torch.sparse.mm(A, self.l1(x)))
        x = F.dropout(x, self.p, self.training)
        return torch.sparse.mm(A, self.l2(x))


torch.manual_seed(0)
A, X, y = sbm()
A_hat = normalise(A)
X = (X - X.mean(0)) / X.std(0)

# 12 labelled nodes per class, as in the Planetoid splits
g = torch.Generator().manual_seed(3)
masks = {k: torch.zeros(len(y), dtype=torch.bool) for k in ("train", "val", "test")}
for c in range(4):
    idx = (y == c).nonzero().squeeze(1)
    idx = idx[torch.randperm(len(idx), generator=g)]
    masks["train"][idx[:12]] = True
    masks["val"][idx[12:32]] = True
    masks["test"][idx[32:]] = True

model = GCN(X.shape[1], 32, 4)
opt = torch.optim.Adam([
    {"params": model.l1.parameters(), "weight_decay": 5e-3},
    {"params": model.l2.parameters(), "weight_decay": 0.0},
], lr=0.01)

best_val, best_test = 0.0, 0.0
for epoch in range(1, 801):
    model.train()
    opt.zero_grad()
    out = model(A_hat, X)
    loss = F.cross_entropy(out[masks["train"]], y[masks["train"]])
    loss.backward()
    opt.step()

    if epoch % 10 == 0:
        model.eval()
        with torch.no_grad():
            pred = model(A_hat, X).argmax(1)
        acc = {k: (pred[m] == y[m]).float().mean().item() for k, m in masks.items()}
        if acc["val"] > best_val:
            best_val, best_test = acc["val"], acc["test"]
        if epoch % 100 == 0:
            print(f"epoch {epoch} loss {loss.item():.4f} train {acc['train']:.3f} val {acc['val']:.3f} test {acc['test']:.3f}")
print(f"test acc at best val: {best_test:.4f} (chance 0.25)")
