"""Customer churn: pandas preprocessing + MLP with categorical embeddings."""
import argparse
import copy

import numpy as np
import pandas as pd
import torch
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

NUM = ["tenure", "monthly", "calls", "age"]
CAT = ["plan", "region", "payment"]


def load_frame(n, seed):
    rng = np.random.default_rng(seed)
    df = pd.DataFrame({
        "tenure": rng.gamma(2.0, 14.0, n).round(1),
        "monthly": rng.normal(68, 22, n).clip(15, None).round(2),
        "calls": rng.poisson(1.8, n),
        "age": rng.integers(18, 84, n).astype(float),
        "plan": rng.choice(["basic", "plus", "family", "pro"], n, p=[.4, .3, .2, .1]),
        "region": rng.choice(list("NESW"), n),
        "payment": rng.choice(["card", "debit", "invoice"], n, p=[.5, .3, .2]),
    })
    z = (0.9 - 0.055 * df.tenure + 0.03 * (df.monthly - 68) + 0.75 * (df.calls - 1.8)
         + df["plan"].map({"basic": 0.8, "plus": 0.0, "family": -1.3, "pro": -0.3})
         + np.where((df.payment == "invoice") & (df.age < 35), 1.8, 0.0))
    df["churn"] = (rng.random(n) < 1 / (1 + np.exp(-1.6 * z))).astype(int)
    df.loc[rng.random(n) < 0.04, "monthly"] = np.nan
    return df


class ChurnNet(nn.Module):
    def __init__(self, cards, n_num, hidden=64, p=0.1):
        super().__init__()
        self.embs = nn.ModuleList([nn.Embedding(c, min(8, (c + 1) // 2 + 1)) for c in cards])
        width = n_num + sum(e.embedding_dim for e in self.embs)
        self.mlp = nn.Sequential(
            nn.Linear(width, hidden), nn.BatchNorm1d(hidden), nn.ReLU(), nn.Dropout(p),
            nn.Linear(hidden, hidden), nn.BatchNorm1d(hidden), nn.ReLU(), nn.Dropout(p),
            nn.Linear(hidden, 1))

    def forward(self, xn, xc):
        e = [emb(xc[:, i]) for i, emb in enumerate(self.embs)]
        return self.mlp(torch.cat([xn, *e], dim=1)).squeeze(1)


def encode(df, med, mean, std, vocab):
    num = (df[NUM].fillna(med) - mean) / std
    cat = np.stack([df[c].map(vocab[c]).fillna(0).astype(int) for c in CAT], axis=1)
    return TensorDataset(torch.tensor(num.values, dtype=torch.float32),
                         torch.tensor(cat, dtype=torch.long),
                         torch.tensor(df.churn.values, dtype=torch.float32))


@torch.no_grad()
def predict(model, loader):
    model.eval()
    p, y = [], []
    for xn, xc, t in loader:
        p.append(torch.sigmoid(model(xn, xc)))
        y.append(t)
    return torch.cat(p).numpy(), torch.cat(y).numpy()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=14)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--batch-size", type=int, default=128)
    ap.add_argument("--patience", type=int, default=4)
    args = ap.parse_args()
    torch.manual_seed(7)

    df = load_frame(9000, seed=3)
    train_df, rest = train_test_split(df, test_size=0.3, stratify=df.churn, random_state=0)
    val_df, test_df = train_test_split(rest, test_size=0.5, stratify=rest.churn, random_state=0)

    med = train_df[NUM].median()
    filled = train_df[NUM].fillna(med)
    mean, std = filled.mean(), filled.std()
    # index 0 is kept for categories not seen in training
    vocab = {c: {v: i + 1 for i, v in enumerate(sorted(train_df[c].unique()))} for c in CAT}
    train, val, test = (encode(d, med, mean, std, vocab) for d in (train_df, val_df, test_df))
    train_dl = DataLoader(train, args.batch_size, shuffle=True, drop_last=True)
    val_dl, test_dl = DataLoader(val, 512), DataLoader(test, 512)

    model = ChurnNet([len(vocab[c]) + 1 for c in CAT], len(NUM))
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=args.epochs)
    loss_fn = nn.BCEWithLogitsLoss()

    best, best_state, bad = 0.0, None, 0
    for epoch in range(args.epochs):
        model.train()
        total, n = 0.0, 0
        for xn, xc, y in train_dl:
            opt.zero_grad()
            loss = loss_fn(model(xn, xc), y)
            loss.backward()
            opt.step()
            total += loss.item() * len(y)
            n += len(y)
        sched.step()
        p, y = predict(model, val_dl)
        auc = roc_auc_score(y, p)
        print(f"epoch {epoch:2d}  train loss {total / n:.4f}  val auc {auc:.4f}  acc {((p > .5) == y).mean():.4f}")
        if auc > best:
            best, best_state, bad = auc, copy.deepcopy(model.state_dict()), 0
        else:
            bad += 1
            if bad >= args.patience:
                print("early stop")
                break
    model.load_state_dict(best_state)
    p, y = predict(model, test_dl)
    print(f"test auc {roc_auc_score(y, p):.4f}  acc {((p > .5) == y).mean():.4f}  base {max(y.mean(), 1 - y.mean()):.4f}")


if __name__ == "__main__":
    main()
