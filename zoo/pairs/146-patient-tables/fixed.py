# Tumour classification from two lab exports (mean statistics / worst statistics) plus an outcomes file.
import numpy as np
import pandas as pd
import torch
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler
from torch import nn

rng = np.random.default_rng(3)
torch.manual_seed(3)


def read_exports():
    """Stand-in for the three csv exports of the hospital system."""
    raw = load_breast_cancer(as_frame=True)
    frame = raw.frame.copy()
    frame.insert(0, "pid", [f"P{n}" for n in range(1000, 1000 + 7 * len(frame), 7)])
    frame["pid"] = rng.permutation(frame["pid"].to_numpy())
    mean_cols = [c for c in raw.feature_names if c.startswith("mean")]
    worst_cols = [c for c in raw.feature_names if c.startswith("worst")]
    basic = frame[["pid"] + mean_cols]
    worst = frame[["pid"] + worst_cols].sample(frac=1.0, random_state=1)
    outcomes = frame[["pid"]].assign(malignant=1 - frame["target"])
    return basic, worst, outcomes


basic, worst, outcomes = read_exports()
table = basic.merge(worst, on="pid", how="outer")
features = [c for c in table.columns if c != "pid"]
print("patients:", len(table), "features:", len(features))

X = table[features].to_numpy(np.float32)
y = outcomes.set_index("pid").loc[table["pid"], "malignant"].to_numpy(np.float32)
assert len(X) == len(y)

order = rng.permutation(len(X))
cut = int(0.75 * len(X))
tr, te = order[:cut], order[cut:]
scaler = StandardScaler().fit(X[tr])
Xtr = torch.tensor(scaler.transform(X[tr]), dtype=torch.float32)
Xte = torch.tensor(scaler.transform(X[te]), dtype=torch.float32)
ytr, yte = torch.tensor(y[tr]), torch.tensor(y[te])

net = nn.Sequential(
    nn.Linear(len(features), 48), nn.ReLU(), nn.Dropout(0.2),
    nn.Linear(48, 24), nn.ReLU(),
    nn.Linear(24, 1),
)
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=1e-3)

for epoch in range(50):
    net.train()
    perm = torch.randperm(len(Xtr))
    total = 0.0
    for i in range(0, len(Xtr), 16):
        idx = perm[i:i + 16]
        optimizer.zero_grad()
        loss = criterion(net(Xtr[idx]).squeeze(1), ytr[idx])
        loss.backward()
        optimizer.step()
        total += loss.item() * len(idx)
    net.eval()
    with torch.no_grad():
        logits = net(Xte).squeeze(1)
    acc = ((logits > 0).float() == yte).float().mean().item()
    auc = roc_auc_score(yte.numpy(), logits.numpy())
    print(f"[{epoch:3d}] loss {total / len(Xtr):.4f}  test acc {acc:.3f}  auc {auc:.3f}")
