#!/usr/bin/env python
# Fraud bursts on cards. Input: last 16 transactions (epoch millis, amount, merchant type).
# A fraud burst = several quick small payments followed by a larger one.
import numpy as np
import torch
import torch.nn as nn
from sklearn.metrics import average_precision_score, roc_auc_score

SEED = 0
N_CARDS = 6000
SEQ = 16
T0_MS = 1_700_000_000_000

rng = np.random.default_rng(SEED)
torch.manual_seed(SEED)


def simulate_card(fraud):
    gaps = rng.lognormal(mean=np.log(2.2 * 3600), sigma=1.3, size=SEQ)      # seconds
    amount = rng.lognormal(3.0, 0.8, size=SEQ)
    merchant = rng.integers(0, 6, size=SEQ)
    # honest people, too, sometimes pay several times within minutes (vending machines, parking)
    if rng.random() < 0.6:
        k = rng.integers(2, 5)
        s = rng.integers(0, SEQ - k)
        gaps[s + 1:s + k] = rng.uniform(40, 110, size=k - 1)
        amount[s:s + k] = rng.lognormal(1.2, 0.5, size=k)
    if fraud:
        k = rng.integers(2, 5)
        s = rng.integers(0, SEQ - k)
        gaps[s + 1:s + k] = rng.uniform(2, 20, size=k - 1)
        amount[s:s + k] = rng.lognormal(1.2, 0.5, size=k)
    start = T0_MS + rng.integers(0, 90 * 86_400_000)
    times = start + np.cumsum(gaps * 1000).astype(np.int64)
    return times, amount, merchant


labels = (rng.random(N_CARDS) < 0.15).astype(np.int64)
cards = [simulate_card(y) for y in labels]
times_ms = np.stack([c[0] for c in cards])
amounts = np.stack([c[1] for c in cards])
merchants = np.stack([c[2] for c in cards])


def build_features(times_ms, amounts, merchants):
    t = torch.tensor(times_ms, dtype=torch.float32)
    gap_s = torch.diff(t, dim=1, prepend=t[:, :1]).div(1000.0)
    hour = (t / 3_600_000.0) % 24
    cols = [
        torch.log1p(gap_s.clamp(min=0)),
        torch.sin(hour * 2 * np.pi / 24),
        torch.cos(hour * 2 * np.pi / 24),
        torch.log1p(torch.tensor(amounts)),
    ]
    x = torch.stack(cols, dim=-1).float()
    return x, torch.tensor(merchants)


x, m = build_features(times_ms, amounts, merchants)
y = torch.tensor(labels).float()

perm = torch.randperm(N_CARDS)
tr, va = perm[: int(0.75 * N_CARDS)], perm[int(0.75 * N_CARDS):]
mean = x[tr].mean((0, 1))
std = x[tr].std((0, 1))
x = (x - mean) / std


class CardModel(nn.Module):
    def __init__(self, n_merchants=6, d=48):
        super().__init__()
        self.emb = nn.Embedding(n_merchants, 8)
        self.inp = nn.Linear(4 + 8, d)
        self.conv = nn.Sequential(
            nn.Conv1d(d, d, 3, padding=1), nn.GELU(),
            nn.Conv1d(d, d, 3, padding=1), nn.GELU(),
        )
        self.out = nn.Sequential(nn.Linear(2 * d, d), nn.GELU(), nn.Dropout(0.2), nn.Linear(d, 1))

    def forward(self, x, m):
        h = self.inp(torch.cat([x, self.emb(m)], dim=-1)).transpose(1, 2)
        h = h + self.conv(h)
        h = torch.cat([h.mean(-1), h.amax(-1)], dim=-1)
        return self.out(h).squeeze(-1)


model = CardModel()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-2)
loss_fn = nn.BCEWithLogitsLoss()


def validate():
    model.eval()
    with torch.no_grad():
        p = torch.sigmoid(model(x[va], m[va])).numpy()
    return average_precision_score(labels[va.numpy()], p), roc_auc_score(labels[va.numpy()], p)


for epoch in range(20):
    model.train()
    losses = []
    for idx in tr[torch.randperm(len(tr))].split(64):
        loss = loss_fn(model(x[idx], m[idx]), y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    ap, auc = validate()
    print(f"epoch {epoch + 1:2d} | loss {np.mean(losses):.4f} | AP {ap:.4f} | AUC {auc:.4f}")

ap, auc = validate()
print(f"validation AUC {auc:.4f}")
print(f"validation average precision {ap:.4f}")
