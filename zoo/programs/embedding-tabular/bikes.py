"""Bike-station demand from categorical and numeric columns."""

from __future__ import annotations

import logging
import sys

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(levelname)s %(message)s")
log = logging.getLogger("bikes")

CATEGORICAL = ["station", "weekday", "weather"]
NUMERIC = ["temp", "humidity", "hour_sin", "hour_cos"]
TARGET = "rentals"


def build_frame(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    stations = [f"S{i:02d}" for i in range(25)]
    popularity = dict(zip(stations, rng.normal(0, 0.7, len(stations))))
    commuter = dict(zip(stations, rng.random(len(stations)) < 0.5))
    days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    weather_effect = {"clear": 0.3, "cloudy": 0.0, "rain": -0.8, "snow": -1.2}
    df = pd.DataFrame(
        {
            "station": rng.choice(stations, n),
            "weekday": rng.choice(days, n),
            "weather": rng.choice(list(weather_effect), n, p=[0.45, 0.3, 0.18, 0.07]),
            "temp": rng.normal(14, 8, n),
            "humidity": rng.uniform(20, 95, n),
            "hour": rng.integers(0, 24, n),
        }
    )
    df.loc[rng.random(n) < 0.05, "humidity"] = np.nan
    weekend = df["weekday"].isin(["sat", "sun"])
    is_commuter = df["station"].map(commuter)
    rush = np.exp(-((df["hour"] - 8) ** 2) / 6) + np.exp(-((df["hour"] - 17) ** 2) / 6)
    level = 1.5 + df["station"].map(popularity) + df["weather"].map(weather_effect) - ((df["temp"] - 20) / 16) ** 2
    level += np.where(is_commuter & ~weekend, 1.2 * rush, 0.3) + np.where(weekend & ~is_commuter, 0.7, 0.0)
    df[TARGET] = rng.poisson(np.exp(np.clip(level, -3, 5)))
    return df


class Preprocessor:
    """Vocabulary, imputation and scaling, all learned from the training rows."""

    def fit(self, df: pd.DataFrame) -> Preprocessor:
        self.vocab = {c: {v: i + 1 for i, v in enumerate(sorted(df[c].unique()))} for c in CATEGORICAL}
        feats = self._add_cyclic(df)
        self.medians = feats[NUMERIC].median()
        filled = feats[NUMERIC].fillna(self.medians)
        self.mean, self.std = filled.mean(), filled.std()
        return self

    @staticmethod
    def _add_cyclic(df: pd.DataFrame) -> pd.DataFrame:
        angle = 2 * np.pi * df["hour"] / 24
        return df.assign(hour_sin=np.sin(angle), hour_cos=np.cos(angle))

    def transform(self, df: pd.DataFrame) -> dict[str, np.ndarray]:
        df = self._add_cyclic(df)
        cats = np.stack([df[c].map(self.vocab[c]).fillna(0).astype(int).to_numpy() for c in CATEGORICAL], axis=1)
        nums = (df[NUMERIC].fillna(self.medians) - self.mean) / self.std
        return {
            "cat": cats.astype(np.int64),
            "num": nums.to_numpy(dtype=np.float32),
            "y": np.log1p(df[TARGET].to_numpy(dtype=np.float32)),
        }

    @property
    def cardinalities(self) -> list[int]:
        return [len(self.vocab[c]) + 1 for c in CATEGORICAL]


class FrameDataset(Dataset):
    def __init__(self, arrays: dict[str, np.ndarray]):
        self.arrays = {k: torch.from_numpy(v) for k, v in arrays.items()}

    def __len__(self) -> int:
        return len(self.arrays["y"])

    def __getitem__(self, i: int) -> dict[str, torch.Tensor]:
        return {k: v[i] for k, v in self.arrays.items()}


class TabularNet(nn.Module):
    def __init__(self, cardinalities: list[int], n_num: int, hidden: int = 64):
        super().__init__()
        dims = [min(8, (c + 1) // 2) for c in cardinalities]
        self.embeddings = nn.ModuleList([nn.Embedding(c, d) for c, d in zip(cardinalities, dims)])
        self.num_bn = nn.BatchNorm1d(n_num)
        self.mlp = nn.Sequential(
            nn.Linear(sum(dims) + n_num, hidden),
            nn.ReLU(),
            nn.Dropout(0.05),
            nn.Linear(hidden, hidden // 2),
            nn.ReLU(),
            nn.Linear(hidden // 2, 1),
        )

    def forward(self, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        cats = [emb(batch["cat"][:, i]) for i, emb in enumerate(self.embeddings)]
        x = torch.cat([*cats, self.num_bn(batch["num"])], dim=1)
        return self.mlp(x).squeeze(-1)


@torch.no_grad()
def r2(model: nn.Module, loader: DataLoader) -> float:
    model.eval()
    pred = torch.cat([model(b) for b in loader])
    y = torch.cat([b["y"] for b in loader])
    return (1 - ((pred - y) ** 2).sum() / ((y - y.mean()) ** 2).sum()).item()


def main() -> None:
    torch.manual_seed(0)
    df = build_frame(4000, seed=17)
    df = df.sample(frac=1.0, random_state=1).reset_index(drop=True)
    train_df, val_df, test_df = df.iloc[:2800], df.iloc[2800:3300], df.iloc[3300:]
    prep = Preprocessor().fit(train_df)
    train_dl = DataLoader(FrameDataset(prep.transform(train_df)), batch_size=64, shuffle=True)
    val_dl = DataLoader(FrameDataset(prep.transform(val_df)), batch_size=250)
    test_dl = DataLoader(FrameDataset(prep.transform(test_df)), batch_size=250)

    model = TabularNet(prep.cardinalities, len(NUMERIC))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=1e-3)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.88)
    loss_fn = nn.MSELoss()
    for epoch in range(15):
        model.train()
        total = 0.0
        for batch in train_dl:
            loss = loss_fn(model(batch), batch["y"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(batch["y"])
        scheduler.step()
        log.info("epoch %02d train_mse %.4f val_r2 %.4f", epoch, total / len(train_df), r2(model, val_dl))
    print(f"test R2 (log scale): {r2(model, test_dl):.4f}")


if __name__ == "__main__":
    main()
