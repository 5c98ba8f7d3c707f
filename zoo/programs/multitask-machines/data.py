import numpy as np
import pandas as pd
import torch
from torch.utils.data import Dataset

NUMERIC = ["temperature", "vibration", "load", "age", "rpm", "humidity"]


def simulate(n, seed):
    """Sensor readings of machines with a remaining-hours target and a failure-type target."""
    rng = np.random.default_rng(seed)
    df = pd.DataFrame(
        {
            "temperature": rng.normal(65, 9, n),
            "vibration": rng.gamma(2.0, 1.2, n),
            "load": rng.uniform(0.1, 1.0, n),
            "age": rng.exponential(4.0, n),
            "rpm": rng.normal(1500, 220, n),
            "humidity": rng.uniform(20, 90, n),
            "site": rng.choice(["north", "south", "west"], n),
        }
    )
    heat = (df["temperature"] - 65) / 9 + 1.5 * (df["load"] - 0.55)
    wear = np.log1p(df["age"]) * (0.4 + df["load"]) + 0.25 * df["vibration"]
    site = df["site"].map({"north": 0.0, "south": 0.6, "west": -0.5})
    df["hours"] = 900 - 170 * wear - 70 * np.maximum(heat, 0) ** 1.5 + 60 * site + rng.normal(0, 25, n)
    scores = np.stack(
        [1.6 * heat + site, 1.5 * (wear - 1.5), 1.4 * np.sin((df["rpm"] - 1500) / 150) + 0.02 * (df["humidity"] - 55)],
        axis=1,
    )
    df["failure"] = (scores + rng.gumbel(0, 0.25, scores.shape)).argmax(axis=1)
    return df


class MachineDataset(Dataset):
    def __init__(self, df, stats=None):
        if stats is None:
            stats = {
                "mean": df[NUMERIC].mean(),
                "std": df[NUMERIC].std(),
                "y_mean": df["hours"].mean(),
                "y_std": df["hours"].std(),
            }
        self.stats = stats
        numeric = ((df[NUMERIC] - stats["mean"]) / stats["std"]).to_numpy()
        onehot = np.stack([(df["site"] == s).to_numpy() for s in ("north", "south", "west")], axis=1)
        self.x = torch.tensor(np.concatenate([numeric, onehot], axis=1), dtype=torch.float32)
        self.hours = torch.tensor(((df["hours"] - stats["y_mean"]) / stats["y_std"]).to_numpy(), dtype=torch.float32)
        self.failure = torch.tensor(df["failure"].to_numpy(), dtype=torch.long)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {"x": self.x[i], "hours": self.hours[i], "failure": self.failure[i]}
