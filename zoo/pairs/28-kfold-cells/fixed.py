"""Five-fold cross-validation of a cell-type classifier from gene expression (few cells, many genes)."""
import numpy as np
import torch
from sklearn.model_selection import StratifiedKFold
from torch import nn


def expression(cells=300, genes=300, types=4, seed=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(types, size=cells)
    marker = rng.normal(0, 0.35, (types, genes)) * (rng.random((types, genes)) < 0.15)
    depth = rng.lognormal(0, 0.3, (cells, 1))
    counts = rng.poisson(depth * np.exp(0.6 + marker[y] + 0.3 * rng.normal(size=(cells, genes))))
    x = np.log1p(counts / counts.sum(1, keepdims=True) * 1e3)
    return x.astype(np.float32), y


class CellNet(nn.Module):
    def __init__(self, genes, types, hidden=64):
        super().__init__()
        self.fc1 = nn.Linear(genes, hidden)
        self.fc2 = nn.Linear(hidden, types)
        self.drop = nn.Dropout(0.3)

    def forward(self, x):
        return self.fc2(self.drop(torch.relu(self.fc1(x))))


def fit(model, x, y, epochs=60, batch=32):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-4)
    ce = nn.CrossEntropyLoss()
    model.train()
    for _ in range(epochs):
        for idx in torch.randperm(len(x)).split(batch):
            opt.zero_grad()
            loss = ce(model(x[idx]), y[idx])
            loss.backward()
            opt.step()
    return loss.item()


@torch.no_grad()
def score(model, x, y):
    model.eval()
    return (model(x).argmax(1) == y).float().mean().item()


def cross_validate(x, y, folds=5, seed=0):
    torch.manual_seed(seed)
    skf = StratifiedKFold(folds, shuffle=True, random_state=seed)
    results = []
    for k, (tr, te) in enumerate(skf.split(x, y)):
        model = CellNet(x.shape[1], int(y.max()) + 1)
        mu, sd = x[tr].mean(0), x[tr].std(0) + 1e-6
        xs = torch.from_numpy((x - mu) / sd)
        ys = torch.from_numpy(y)
        last = fit(model, xs[tr], ys[tr])
        results.append(score(model, xs[te], ys[te]))
        print(f"fold {k + 1}: final train loss {last:.4f}, accuracy {results[-1]:.3f}")
    return np.array(results)


if __name__ == "__main__":
    x, y = expression()
    r = cross_validate(x, y)
    print(f"cross-validated accuracy {r.mean():.3f} +/- {r.std():.3f}")
