# One-step-ahead forecasting of a noisy seasonal series, PyTorch Lightning
import logging
import warnings

import lightning.pytorch as pl
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

warnings.filterwarnings("ignore", ".*does not have many workers.*")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)

WINDOW = 24


def make_series(n=2200, seed=3):
    rng = np.random.default_rng(seed)
    t = np.arange(n)
    season = 2.0 * np.sin(2 * np.pi * t / 24) + 1.0 * np.sin(2 * np.pi * t / 7 + 0.4)
    ar = np.zeros(n)
    for i in range(1, n):
        ar[i] = 0.7 * ar[i - 1] + rng.normal(0, 0.3)
    return (10 + season + ar).astype(np.float32)


class Windows(Dataset):
    def __init__(self, series):
        self.series = torch.from_numpy(series)

    def __len__(self):
        return len(self.series) - WINDOW

    def __getitem__(self, i):
        return self.series[i:i + WINDOW], self.series[i + WINDOW]


class Forecaster(pl.LightningModule):
    def __init__(self, hidden=32, lr=5e-3, total_steps=1000):
        super().__init__()
        self.lr, self.total_steps = lr, total_steps
        self.gru = torch.nn.GRU(1, hidden, batch_first=True)
        self.out = torch.nn.Linear(hidden, 1)
        self.loss = torch.nn.MSELoss()

    def forward(self, x):
        h, _ = self.gru(x.unsqueeze(-1))
        return self.out(h[:, -1]).squeeze(-1)

    def training_step(self, batch, _):
        x, y = batch
        loss = self.loss(self(x), y)
        self.log("train/mse", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        self.log("val/mse", self.loss(self(x), y), batch_size=len(y))

    def test_step(self, batch, _):
        x, y = batch
        self.log("test/mse", self.loss(self(x), y), batch_size=len(y))

    def on_validation_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch}: val mse {m['val/mse'].item():.4f}")

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.lr)
        sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=self.lr, total_steps=self.total_steps)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "step"}}


pl.seed_everything(7, verbose=False)
series = make_series()
# chronological split; statistics from the first part only
cut1, cut2 = 1500, 1800
mu, sd = series[:cut1].mean(), series[:cut1].std()
scaled = (series - mu) / sd
train_dl = DataLoader(Windows(scaled[:cut1]), batch_size=32, shuffle=True)
val_dl = DataLoader(Windows(scaled[cut1:cut2]), batch_size=128)
test_dl = DataLoader(Windows(scaled[cut2:]), batch_size=128)

epochs = 6
model = Forecaster(total_steps=epochs * len(train_dl))
trainer = pl.Trainer(
    max_epochs=epochs, accelerator="cpu", logger=False, enable_checkpointing=False,
    enable_progress_bar=False, enable_model_summary=False, gradient_clip_val=1.0, num_sanity_val_steps=0,
)
trainer.fit(model, train_dl, val_dl)
metrics = trainer.test(model, test_dl, verbose=False)[0]

test = scaled[cut2:]
persistence = float(np.mean((test[WINDOW:] - test[WINDOW - 1:-1]) ** 2))
print(f"persistence mse: {persistence:.4f}")
print(f"test mse: {metrics['test/mse']:.4f}")
