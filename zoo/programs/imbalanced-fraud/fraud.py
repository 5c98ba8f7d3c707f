import json
import os

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.metrics import average_precision_score, f1_score, precision_recall_curve, roc_auc_score
from sklearn.model_selection import StratifiedShuffleSplit

cfg = {
    "n": 6000,
    "fraud_rate": 0.05,
    "hidden": [48, 24],
    "lr": 2e-3,
    "epochs": 14,
    "batch_size": 100,
    "seed": 31,
    "out": "runs",
}


def make_transactions(n, rate, seed=0):
    rng = np.random.RandomState(seed)
    y = (rng.rand(n) < rate).astype(np.float32)
    amount = np.exp(rng.normal(3, 1, n) + 0.5 * y)
    hour = rng.randint(0, 24, n)
    hour = np.where((y == 1) & (rng.rand(n) < 0.5), rng.randint(0, 6, n), hour)
    v = rng.normal(0, 1, (n, 8))
    # fraud lives on a curved shell in some of the latent columns
    k = np.flatnonzero(y)
    theta = rng.uniform(0, 2 * np.pi, len(k))
    v[k, 0] = 2.8 * np.cos(theta) + 0.3 * v[k, 0]
    v[k, 1] = 2.8 * np.sin(theta) + 0.3 * v[k, 1]
    v[k, 2] += 0.9
    v[k, 3] = v[k, 0] * 0.5 + 0.7 * v[k, 3]
    cols = [np.log1p(amount), np.sin(hour * np.pi / 12), np.cos(hour * np.pi / 12)] + list(v.T)
    return np.stack(cols, 1).astype(np.float32), y


def mlp(sizes):
    layers = []
    for a, b in zip(sizes[:-2], sizes[1:-1]):
        layers += [nn.Linear(a, b), nn.LeakyReLU(0.05)]
    layers.append(nn.Linear(sizes[-2], sizes[-1]))
    return nn.Sequential(*layers)


def scores(clf, x):
    clf.eval()
    with torch.inference_mode():
        return torch.sigmoid(clf(x)).view(-1).numpy()


def best_threshold(y, s):
    p, r, t = precision_recall_curve(y, s)
    f = 2 * p * r / np.maximum(p + r, 1e-9)
    return float(t[f[:-1].argmax()])


def main():
    torch.manual_seed(cfg["seed"])
    X, y = make_transactions(cfg["n"], cfg["fraud_rate"])
    tr, rest = next(StratifiedShuffleSplit(1, test_size=0.5, random_state=1).split(X, y))
    va, te = next(StratifiedShuffleSplit(1, test_size=0.6, random_state=2).split(X[rest], y[rest]))
    va, te = rest[va], rest[te]
    mu, sigma = X[tr].mean(0), X[tr].std(0)
    X = torch.from_numpy((X - mu) / sigma)
    Y = torch.from_numpy(y)

    n_pos = Y[tr].sum()
    pos_weight = (len(tr) - n_pos) / n_pos
    print("positives in train: %d / %d  pos_weight=%.1f" % (int(n_pos), len(tr), pos_weight.item()))

    clf = mlp([X.shape[1]] + cfg["hidden"] + [1])
    opt = torch.optim.Adam(clf.parameters(), lr=cfg["lr"], weight_decay=1e-4)
    tr = torch.from_numpy(tr)
    for ep in range(cfg["epochs"]):
        clf.train()
        tr = tr[torch.randperm(len(tr))]
        for ix in tr.split(cfg["batch_size"]):
            logit = clf(X[ix]).view(-1)
            loss = F.binary_cross_entropy_with_logits(logit, Y[ix], pos_weight=pos_weight)
            opt.zero_grad()
            loss.backward()
            opt.step()
        s = scores(clf, X[va])
        print(
            f"ep {ep:2d}  loss {loss.item():.3f}  val AUC {roc_auc_score(y[va], s):.4f}  AP {average_precision_score(y[va], s):.4f}"
        )

    thr = best_threshold(y[va], scores(clf, X[va]))
    s = scores(clf, X[te])
    result = {
        "auc": roc_auc_score(y[te], s),
        "ap": average_precision_score(y[te], s),
        "f1": f1_score(y[te], s >= thr),
        "threshold": thr,
    }
    os.makedirs(cfg["out"], exist_ok=True)
    with open(os.path.join(cfg["out"], "result.json"), "w") as f:
        json.dump({"config": cfg, "result": result}, f, indent=2)
    print("threshold %.3f" % thr)
    print("TEST  F1=%.4f  AP=%.4f  AUC=%.4f" % (result["f1"], result["ap"], result["auc"]))


if __name__ == "__main__":
    main()
