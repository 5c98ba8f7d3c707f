"""Rare fault detection: 2 % positives, weighted loss, ranked by average precision."""
import numpy as np
import torch
from sklearn.metrics import average_precision_score, recall_score
from torch import nn


def machines(n, rng):
    x = rng.normal(size=(n, 12)).astype(np.float32)
    z = 2.2 * x[:, 0] + 1.8 * x[:, 1] * (x[:, 2] > 0) - 1.5 * x[:, 3] + 0.5 * rng.normal(size=n)
    return x, (z > np.quantile(z, 0.98)).astype(np.float32)


def main():
    torch.manual_seed(1)
    rng = np.random.default_rng(1)
    (xa, ya), (xb, yb) = machines(12000, rng), machines(6000, rng)
    xa, ya, xb = torch.from_numpy(xa), torch.from_numpy(ya), torch.from_numpy(xb)
    pos_weight = (len(ya) - ya.sum()) / ya.sum()
    print(f"positives {int(ya.sum())} of {len(ya)}, pos_weight {pos_weight:.1f}")
    net = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))
    opt = torch.optim.Adam(net.parameters(), lr=1e-3, weight_decay=1e-4)
    crit = nn.BCEWithLogitsLoss(pos_weight=pos_weight)
    for epoch in range(12):
        running = 0.0
        for idx in torch.randperm(len(xa)).split(128):
            opt.zero_grad()
            loss = crit(net(xa[idx]).squeeze(1), ya[idx])
            loss.backward()
            opt.step()
            running += loss.item() * len(idx)
        print(f"epoch {epoch} weighted bce {running / len(xa):.4f}")
    with torch.no_grad():
        score = torch.sigmoid(net(xb).squeeze(1)).numpy()
    print(f"AP {average_precision_score(yb, score):.3f} (base rate {yb.mean():.3f}), "
          f"recall at 0.5 {recall_score(yb, score > 0.5):.3f}")


if __name__ == "__main__":
    main()
