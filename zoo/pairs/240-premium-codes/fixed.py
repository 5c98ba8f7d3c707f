# notebook export: motor insurance, expected claim cost per policy
# entity embeddings + MLP, Poisson/Gamma-like target modelled on the log scale

# In[1]:
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 0
rng = np.random.default_rng(SEED)
torch.manual_seed(SEED)

# In[2]:
BRANDS = ["audi", "bmw", "citroen", "dacia", "fiat", "ford", "honda", "kia", "mazda", "opel", "porsche",
          "renault", "seat", "skoda", "tesla", "toyota", "volvo", "vw"]
REGIONS = [f"R{i:02d}" for i in range(24)]
FUELS = ["diesel", "electric", "gas", "hybrid", "petrol"]

brand_effect = dict(zip(BRANDS, rng.normal(0, 0.5, len(BRANDS))))
region_effect = dict(zip(REGIONS, rng.normal(0, 0.6, len(REGIONS))))
fuel_effect = dict(zip(FUELS, rng.normal(0, 0.2, len(FUELS))))


def policies(n, year):
    """A year's book of business."""
    brands = [b for b in BRANDS if not (year == 2024 and b in ("bmw", "fiat"))]
    regions = [r for r in REGIONS if not (year == 2024 and r in ("R00", "R07", "R13"))]
    df = pd.DataFrame({
        "brand": rng.choice(brands, n),
        "region": rng.choice(regions, n),
        "fuel": rng.choice(FUELS, n, p=[0.3, 0.1, 0.05, 0.15, 0.4]),
        "age": rng.integers(18, 85, n),
        "car_age": rng.integers(0, 20, n),
        "km": rng.lognormal(9.3, 0.5, n),
        "bonus": rng.integers(0, 30, n),
    })
    eta = (df["brand"].map(brand_effect) + df["region"].map(region_effect) + df["fuel"].map(fuel_effect)
           + 0.5 * np.exp(-(df["age"] - 18) / 8) - 0.02 * df["bonus"] + 0.35 * np.log(df["km"] / 11000)
           - 0.02 * df["car_age"])
    df["cost"] = np.exp(5.5 + eta + rng.normal(0, 0.35, n))
    return df


train_df = policies(14000, 2023)
test_df = policies(3000, 2024)
train_df.head()

# In[3]:
CATS = ["brand", "region", "fuel"]
NUMS = ["age", "car_age", "km", "bonus"]


def encode(df, levels):
    out = {}
    for c in CATS:
        out[c] = pd.Categorical(df[c], categories=levels[c]).codes
    return torch.tensor(np.stack([out[c] for c in CATS], 1).astype(np.int64))


levels = {c: sorted(train_df[c].unique()) for c in CATS}
num_train = train_df[NUMS].assign(km=np.log(train_df["km"]))
num_mean, num_std = num_train.mean(), num_train.std()


def numeric(df):
    z = (df[NUMS].assign(km=np.log(df["km"])) - num_mean) / num_std
    return torch.tensor(z.to_numpy(), dtype=torch.float32)


def target(df):
    return torch.tensor(np.log(df["cost"].to_numpy()), dtype=torch.float32)


y_mean, y_std = target(train_df).mean(), target(train_df).std()


def tensors(df):
    return encode(df, levels), numeric(df), (target(df) - y_mean) / y_std


# In[4]:
class EmbeddingMLP(nn.Module):
    def __init__(self, cards, n_num, dim=8):
        super().__init__()
        self.embs = nn.ModuleList(nn.Embedding(c, dim) for c in cards)
        self.mlp = nn.Sequential(
            nn.Linear(dim * len(cards) + n_num, 64), nn.ReLU(), nn.Dropout(0.05),
            nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, c, z):
        e = [emb(c[:, i]) for i, emb in enumerate(self.embs)]
        return self.mlp(torch.cat(e + [z], 1)).squeeze(1)


model = EmbeddingMLP([len(levels[c]) for c in CATS], len(NUMS))
loader = DataLoader(TensorDataset(*tensors(train_df)), batch_size=128, shuffle=True)
c_te, z_te, y_te = tensors(test_df)
opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 15)


def evaluate():
    model.eval()
    with torch.no_grad():
        pred = model(c_te, z_te)
    rmse = ((pred - y_te) * y_std).pow(2).mean().sqrt().item()
    r2 = 1 - ((pred - y_te) ** 2).mean().item() / y_te.var().item()
    return rmse, r2


# In[5]:
for epoch in range(15):
    model.train()
    total = 0.0
    for c, z, y in loader:
        loss = nn.functional.mse_loss(model(c, z), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(y)
    sched.step()
    rmse, r2 = evaluate()
    print(f"epoch {epoch + 1:2d} train mse {total / len(train_df):.4f} | 2024: log-rmse {rmse:.4f} R2 {r2:.4f}")

# In[6]:
rmse, r2 = evaluate()
print(f"R2 on the 2024 book: {r2:.4f}")
print(f"log-RMSE on the 2024 book: {rmse:.4f}")
