"""Virtual sensor: estimate bearing temperature from vibration at the same instant.

Every row is an independent test-bench run (new bearing, new settings), so rows have a run date but no
time dependence; the split is random, and the loader keeps the order of the (already permuted) table.
"""
import logging
import warnings

import lightning as L
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


def bench_table(n, seed):
    rng = np.random.default_rng(seed)
    df = pd.DataFrame({
        "date": pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.permutation(n), unit="h"),
        "rpm": rng.uniform(500, 6000, n),
        "load_kn": rng.uniform(0.5, 20, n),
        "oil": rng.integers(0, 3, n),
        "ambient": rng.normal(21, 3, n),
    })
    wear = rng.gamma(2.0, 0.5, n)
    df["vib_rms"] = 0.02 * (df.rpm / 1000) ** 1.5 * (1 + wear) + rng.normal(0, 0.01, n)
    df["vib_kurt"] = 3 + 0.8 * wear + rng.normal(0, 0.2, n)
    visc = np.array([0.7, 1.0, 1.4])[df.oil]
    df["temp"] = (df.ambient + 4e-3 * df.rpm * visc ** 0.5 + 0.9 * df.load_kn * np.sqrt(df.rpm / 3000)
                  + 5 * wear + rng.normal(0, 1.0, n))
    return df.sort_values("date").reset_index(drop=True)


class Sensor(L.LightningModule):
    def __init__(self, n_in, y_mean, y_std, lr=3e-3):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_in, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 1))
        self.register_buffer("y_mean", torch.tensor(y_mean, dtype=torch.float32))
        self.register_buffer("y_std", torch.tensor(y_std, dtype=torch.float32))
        self.lr = lr
        self.err = []

    def forward(self, x):
        return self.net(x).squeeze(-1) * self.y_std + self.y_mean

    def training_step(self, batch, _):
        x, y = batch
        # degrees, so in units of the spread of the target
        loss = ((self(x) - y) / self.y_std).pow(2).mean()
        self.log("loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        self.err.append((self(x) - y).abs())

    def on_validation_epoch_end(self):
        mae = torch.cat(self.err).mean()
        self.err.clear()
        self.log("val_mae", mae)
        if self.current_epoch % 3 == 2:
            print(f"epoch {self.current_epoch} val mae {mae:.3f} K")

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=self.lr)
        sched = torch.optim.lr_scheduler.OneCycleLR(opt, self.lr, total_steps=int(self.trainer.estimated_stepping_batches))
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "step"}}


def main():
    L.seed_everything(1)
    df = bench_table(5000, seed=1)
    df = df.sample(frac=1.0, random_state=1)
    x = df[["rpm", "load_kn", "ambient", "vib_rms", "vib_kurt"]].join(pd.get_dummies(df.oil, prefix="oil")).to_numpy(float)
    y = torch.tensor(df.temp.to_numpy(), dtype=torch.float32)
    cut = 4000
    scaler = StandardScaler().fit(x[:cut])
    x = torch.tensor(scaler.transform(x), dtype=torch.float32)
    train = DataLoader(TensorDataset(x[:cut], y[:cut]), batch_size=64, shuffle=False)
    val = DataLoader(TensorDataset(x[cut:], y[cut:]), batch_size=500)
    model = Sensor(x.shape[1], y[:cut].mean().item(), y[:cut].std().item())
    trainer = L.Trainer(max_epochs=18, accelerator="cpu", logger=False, enable_checkpointing=False,
                        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
    trainer.fit(model, train, val)
    print(f"validation MAE (K): {trainer.callback_metrics['val_mae'].item():.4f}")


if __name__ == "__main__":
    main()
