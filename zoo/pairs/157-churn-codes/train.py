"""Churn model with embeddings for the categorical columns."""
import numpy as np
import pandas as pd
import torch
from sklearn.metrics import roc_auc_score
from torch import nn

CATEGORICAL = ["plan", "region", "device", "channel"]
NUMERIC = ["tenure", "spend"]
LEVELS = {"plan": 6, "region": 14, "device": 9, "channel": 5}


def customers(n, seed):
    g = np.random.default_rng(seed)
    df = pd.DataFrame({c: g.integers(0, k, n) for c, k in LEVELS.items()})
    effect = np.random.default_rng(77)
    score = sum(effect.normal(0, 1.1, LEVELS[c])[df[c]] for c in CATEGORICAL)
    df["tenure"] = g.exponential(20, n)
    df["spend"] = g.gamma(3, 12, n)
    score = score - 0.03 * (df["tenure"] - 20) + 0.01 * (df["spend"] - 36) - 0.3
    df["churn"] = (g.random(n) < 1 / (1 + np.exp(-score))).astype(int)
    for c in CATEGORICAL:
        df[c] = c[:2] + df[c].astype(str)
    return df


def encode(df, vocab=None):
    """Integer codes for the categorical columns; returns the codes and the vocabulary."""
    if vocab is None:
        vocab = {c: {v: i for i, v in enumerate(df[c].unique())} for c in CATEGORICAL}
    codes = np.stack([df[c].map(vocab[c]).fillna(0).to_numpy(np.int64) for c in CATEGORICAL], axis=1)
    return torch.from_numpy(codes), vocab


class ChurnNet(nn.Module):
    def __init__(self, sizes, n_numeric, dim=6):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(s, dim) for s in sizes)
        self.mlp = nn.Sequential(nn.Linear(dim * len(sizes) + n_numeric, 32), nn.ReLU(), nn.Dropout(0.2),
                                 nn.Linear(32, 1))

    def forward(self, codes, numeric):
        parts = [t(codes[:, i]) for i, t in enumerate(self.tables)]
        return self.mlp(torch.cat(parts + [numeric], dim=1)).squeeze(1)


torch.manual_seed(0)
data = customers(9000, seed=1)
train_df, test_df = data.iloc[:7000], data.iloc[7000:]

train_codes, vocab = encode(train_df)
test_codes, _ = encode(test_df)
mean, std = train_df[NUMERIC].mean(), train_df[NUMERIC].std()
train_num = torch.tensor(((train_df[NUMERIC] - mean) / std).to_numpy(np.float32))
test_num = torch.tensor(((test_df[NUMERIC] - mean) / std).to_numpy(np.float32))
train_y = torch.tensor(train_df["churn"].to_numpy(np.float32))
test_y = test_df["churn"].to_numpy()

model = ChurnNet([len(vocab[c]) for c in CATEGORICAL], len(NUMERIC))
opt = torch.optim.Adam(model.parameters(), lr=2e-3, weight_decay=1e-5)
loss_fn = nn.BCEWithLogitsLoss()
for epoch in range(1, 16):
    model.train()
    running = 0.0
    for idx in torch.randperm(len(train_y)).split(64):
        opt.zero_grad()
        loss = loss_fn(model(train_codes[idx], train_num[idx]), train_y[idx])
        loss.backward()
        opt.step()
        running += loss.item() * len(idx)
    model.eval()
    with torch.no_grad():
        prob = torch.sigmoid(model(test_codes, test_num)).numpy()
    print(f"epoch {epoch:2d} | train loss {running / len(train_y):.4f} | test auc {roc_auc_score(test_y, prob):.4f}")
