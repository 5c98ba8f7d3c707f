"""Probability of default for consumer loans from a tabular extract."""
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    rows: int = 16000
    hidden: tuple = (64, 32)
    dropout: float = 0.1
    lr: float = 2e-3
    batch: int = 128
    epochs: int = 30
    seed: int = 21
    not_features: list = field(default_factory=lambda: ["loan_id", "defaulted"])


def extract(cfg):
    rng = np.random.default_rng(cfg.seed)
    n = cfg.rows
    df = pd.DataFrame({
        "loan_id": np.arange(n) + 10_000,
        "amount": rng.lognormal(9, 0.5, n),
        "term_months": rng.choice([24, 36, 60], n),
        "income": rng.lognormal(10.5, 0.4, n),
        "age": rng.integers(20, 70, n),
        "open_accounts": rng.poisson(6, n),
        "inquiries": rng.poisson(1.2, n),
        "utilisation": rng.beta(2, 3, n),
        "employed_years": rng.exponential(5, n),
    })
    df["instalment"] = df.amount / df.term_months * rng.normal(1.1, 0.03, n)
    burden = df.instalment * 12 / df.income
    risk = 6 * (burden - 0.15) + 3.5 * (df.utilisation - 0.4) + 0.7 * df.inquiries - 0.15 * df.employed_years
    risk = risk + 0.04 * (35 - df.age).clip(lower=0) + 1.2 * (df.term_months == 60) - 1.3
    df["defaulted"] = (rng.random(n) < 1 / (1 + np.exp(-1.6 * risk))).astype(int)
    fee = 0.12 * df.amount * rng.beta(2, 5, n) * (rng.random(n) < 0.9)
    df["collection_fee"] = fee * df.defaulted
    df["last_payment"] = df.instalment * np.where(df.defaulted == 1, rng.uniform(0.2, 1.1, n), rng.uniform(0.9, 1.1, n))
    return df


def feature_frame(df, cfg):
    x = df.drop(columns=[c for c in cfg.not_features if c in df]).astype(float)
    for name in x.columns[x.skew() > 1]:
        x[name] = np.log1p(x[name])
    return x


class Scorer(nn.Module):
    def __init__(self, n_in, hidden, dropout):
        super().__init__()
        layers = []
        for width in hidden:
            layers += [nn.Linear(n_in, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(dropout)]
            n_in = width
        self.net = nn.Sequential(*layers, nn.Linear(n_in, 1))

    def forward(self, x):
        return self.net(x).squeeze(1)


def tensors(x, y, mean, std):
    x = torch.tensor(((x - mean) / std).to_numpy(), dtype=torch.float32)
    return TensorDataset(x, torch.tensor(y.to_numpy(), dtype=torch.float32))


def validate(model, data):
    model.eval()
    x, y = data.tensors
    with torch.no_grad():
        logit = model(x)
    return nn.functional.binary_cross_entropy_with_logits(logit, y).item(), roc_auc_score(y, logit)


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    df = extract(cfg)
    x, y = feature_frame(df, cfg), df["defaulted"]
    x_tr, x_va, y_tr, y_va = train_test_split(x, y, test_size=0.25, stratify=y, random_state=cfg.seed)
    mean, std = x_tr.mean(), x_tr.std()
    train, val = tensors(x_tr, y_tr, mean, std), tensors(x_va, y_va, mean, std)
    print(f"{x.shape[1]} features, default rate {y.mean():.3f}")

    model = Scorer(x.shape[1], cfg.hidden, cfg.dropout)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=1e-3)
    criterion = nn.BCEWithLogitsLoss()
    loader = DataLoader(train, batch_size=cfg.batch, shuffle=True)
    for epoch in range(cfg.epochs):
        model.train()
        total = 0.0
        for xb, yb in loader:
            optimizer.zero_grad(set_to_none=True)
            loss = criterion(model(xb), yb)
            loss.backward()
            optimizer.step()
            total += loss.item()
        val_loss, auc = validate(model, val)
        print(f"epoch {epoch + 1:2d} train {total / len(loader):.4f} val {val_loss:.4f} auc {auc:.4f}")
    print(f"final val auc {auc:.4f}")


if __name__ == "__main__":
    main()
