"""Churn model on the CRM export. Trains a small MLP and reports ROC AUC on held-out customers."""
import logging

import numpy as np
import pandas as pd
import torch
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
log = logging.getLogger("churn")

NUMERIC = ["tenure", "monthly_fee", "tickets", "logins", "discount"]
PLANS = ["basic", "plus", "pro"]


def load_export(n=6000, seed=4):
    rng = np.random.default_rng(seed)
    df = pd.DataFrame({
        "tenure": rng.gamma(2.0, 14.0, n),
        "monthly_fee": rng.normal(45, 12, n),
        "tickets": rng.poisson(1.6, n).astype(float),
        "logins": rng.gamma(3.0, 5.0, n),
        "discount": rng.uniform(0, 0.4, n),
        "plan": rng.choice(PLANS, n, p=[0.5, 0.3, 0.2]),
    })
    z = (-0.05 * (df.tenure - 28) + 0.05 * (df.monthly_fee - 45) + 0.9 * (df.tickets - 1.6)
         - 0.12 * (df.logins - 15) - 3 * (df.discount - 0.2) + 1.2 * (df.plan == "basic"))
    df["churned"] = (rng.random(n) < 1 / (1 + np.exp(-z + 0.6))).astype(int)
    # the billing system did not record everything
    for col, rate in [("monthly_fee", 0.03), ("logins", 0.05)]:
        df.loc[rng.random(n) < rate, col] = np.nan
    return df


def prepare(df):
    clean = df.dropna(subset=NUMERIC).reset_index(drop=True)
    plan = pd.get_dummies(clean["plan"])[PLANS].astype(float)
    x = pd.concat([clean[NUMERIC], plan], axis=1)
    y = clean["churned"]
    log.info("kept %d of %d customers, churn rate %.3f", len(x), len(df), y.mean())
    return x.to_numpy(np.float32), y.to_numpy(np.float32)


class ChurnNet(nn.Module):
    def __init__(self, n_in, hidden=64):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(n_in, hidden), nn.ReLU(), nn.Dropout(0.1),
            nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, x):
        return self.body(x).squeeze(-1)


def auc(model, x, y):
    model.eval()
    with torch.no_grad():
        p = torch.sigmoid(model(torch.from_numpy(x))).numpy()
    return roc_auc_score(y, p)


def main():
    torch.manual_seed(0)
    x, y = prepare(load_export())
    x_tr, x_te, y_tr, y_te = train_test_split(x, y, test_size=0.25, random_state=1, stratify=y)
    scaler = StandardScaler().fit(x_tr)
    x_tr, x_te = (scaler.transform(a).astype(np.float32) for a in (x_tr, x_te))

    loader = DataLoader(TensorDataset(torch.from_numpy(x_tr), torch.from_numpy(y_tr)),
                        batch_size=64, shuffle=True)
    model = ChurnNet(x_tr.shape[1])
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-3)
    loss_fn = nn.BCEWithLogitsLoss()
    for epoch in range(25):
        model.train()
        total = 0.0
        for xb, yb in loader:
            opt.zero_grad()
            loss = loss_fn(model(xb), yb)
            loss.backward()
            opt.step()
            total += loss.item() * len(xb)
        if epoch % 4 == 0:
            log.info("epoch %02d loss %.4f", epoch, total / len(x_tr))
    log.info("test auc %.4f", auc(model, x_te, y_te))


if __name__ == "__main__":
    main()
