"""Cultivar classification on sklearn's wine with repeated holdout; manual SGD loop."""
import numpy as np
import torch
from sklearn.datasets import load_wine, load_breast_cancer
from sklearn.preprocessing import StandardScaler
from torch.nn import functional as F


def load(name):
    bunch = {"wine": load_wine, "cancer": load_breast_cancer}[name]()
    return bunch.data.astype(np.float32), bunch.target


def holdout(x, y, seed, frac=0.3):
    rng = np.random.default_rng(seed)
    perm = rng.permutation(len(x))
    k = int(len(x) * frac)
    te, tr = perm[:k], perm[k:]
    sc = StandardScaler().fit(x[tr])
    tensor = lambda idx: (torch.from_numpy(sc.transform(x[idx]).astype(np.float32)), torch.from_numpy(y[idx]))
    return tensor(tr), tensor(te)


def build(n_in, n_out):
    return torch.nn.Sequential(
        torch.nn.Linear(n_in, 32), torch.nn.Tanh(),
        torch.nn.Linear(32, 32), torch.nn.Tanh(),
        torch.nn.Linear(32, n_out))


def fit_once(x, y, seed, epochs=30, batch=16, lr=0.05):
    torch.manual_seed(seed)
    (xa, ya), (xb, yb) = holdout(x, y, seed)
    net = build(x.shape[1], int(y.max()) + 1)
    opt = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9, weight_decay=1e-4)
    curve = []
    for _ in range(epochs):
        total = 0.0
        for idx in torch.randperm(len(xa)).split(batch):
            opt.zero_grad()
            loss = F.cross_entropy(net(xa[idx]), ya[idx])
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        curve.append(total / len(xa))
    with torch.no_grad():
        out = net(xb)
        acc = (out.argmax(1) == yb).float().mean().item()
        nll = F.cross_entropy(out, yb).item()
    return acc, nll, curve


def study(name, repeats=4):
    x, y = load(name)
    accs, nlls = [], []
    for seed in range(repeats):
        acc, nll, curve = fit_once(x, y, seed)
        accs.append(acc)
        nlls.append(nll)
        print(f"{name:7s} split {seed}: loss {curve[0]:.3f} -> {curve[-1]:.3f}, holdout acc {acc:.3f}, nll {nll:.3f}")
    return np.mean(accs), np.mean(nlls)


if __name__ == "__main__":
    results = {name: study(name) for name in ("wine", "cancer")}
    for name, (acc, nll) in results.items():
        print(f"{name}: mean holdout accuracy {acc:.3f}, mean nll {nll:.3f}")
