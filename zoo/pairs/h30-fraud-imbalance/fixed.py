# %% Fraud detection, 1 % positives
import numpy as np
import pandas as pd
import torch
from sklearn.metrics import average_precision_score, precision_recall_curve
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

torch.manual_seed(0)
rng = np.random.default_rng(2024)

# %% transactions, ordered by time; the last weeks are the test period
N = 24000
df = pd.DataFrame({
    "amount": np.exp(rng.normal(3.2, 1.0, N)),
    "hour": rng.integers(0, 24, N),
    "dist_km": rng.exponential(12, N),
    "n_last_hour": rng.poisson(0.6, N),
    "card_age": rng.uniform(0, 8, N),
    "foreign": (rng.random(N) < 0.07).astype(int),
})
risk = (1.1 * np.log(df.amount) + 1.4 * df.foreign + 0.9 * df.n_last_hour + 0.05 * df.dist_km
        - 0.35 * df.card_age + 1.6 * ((df.hour < 5) & (df.n_last_hour >= 2)))
risk = risk + rng.logistic(0, 0.45, N)
df["fraud"] = (risk > np.quantile(risk, 0.99)).astype(int)
df = df.reset_index(names="t")

# %% features
df["log_amount"] = np.log(df.amount)
df["log_dist"] = np.log1p(df.dist_km)
df["night"] = (df.hour < 5).astype(int)
cols = ["log_amount", "log_dist", "n_last_hour", "card_age", "foreign", "night"]
a, b = int(.7 * N), int(.85 * N)
parts = [df.iloc[:a], df.iloc[a:b], df.iloc[b:]]
mu, sd = parts[0][cols].mean(), parts[0][cols].std()
T = lambda d: (torch.tensor(((d[cols] - mu) / sd).values, dtype=torch.float32), torch.tensor(d.fraud.values, dtype=torch.float32))
(Xtr, ytr), (Xva, yva), (Xte, yte) = map(T, parts)
print("fraud rate", [round(y.mean().item(), 4) for y in (ytr, yva, yte)])

# %% oversample frauds to 1 in 10, weight the rest of the way in the loss
w = torch.where(ytr == 1, 0.1 / ytr.mean(), 0.9 / (1 - ytr.mean()))
sampler = WeightedRandomSampler(w, num_samples=len(ytr), replacement=True)
loader = DataLoader(TensorDataset(Xtr, ytr), batch_size=256, sampler=sampler)
criterion = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(3.0))

model = nn.Sequential(nn.Linear(len(cols), 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-2)


def score(X):
    model.eval()
    with torch.no_grad():
        return model(X).squeeze(1).numpy()


# %% train
best_ap, best = 0, None
for epoch in range(14):
    model.train()
    tot = 0.0
    for x, y in loader:
        opt.zero_grad()
        loss = criterion(model(x).squeeze(1), y)
        loss.backward()
        opt.step()
        tot += loss.item()
    ap = average_precision_score(yva, score(Xva))
    if ap > best_ap:
        best_ap, best = ap, {k: v.clone() for k, v in model.state_dict().items()}
    print(f"epoch {epoch}: loss {tot / len(loader):.4f}, val AP {ap:.4f}")

# %% threshold from validation, report on test
model.load_state_dict(best)
p, r, th = precision_recall_curve(yva, score(Xva))
f1 = 2 * p * r / (p + r + 1e-9)
cut = th[f1[:-1].argmax()]
s = score(Xte)
flag = s >= cut
prec, rec = yte.numpy()[flag].mean(), flag[yte.numpy() == 1].mean()
print(f"test AP {average_precision_score(yte, s):.4f} (chance {yte.mean():.4f}), precision {prec:.3f}, recall {rec:.3f}")
