"""Arrhythmia screening: does this heartbeat come from a person with the condition? (Lightning)"""
import logging
import warnings

import lightning as L
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.model_selection import ShuffleSplit
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)

LENGTH, SEED = 96, 8


def bump(t, centre, width, height):
    return height * np.exp(-((t - centre) ** 2) / (2 * width**2))


def synthesise(people=140, beats=36, seed=SEED):
    """Beats of many people; everyone's beats share a personal shape, the condition alters the T wave a little."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 1, LENGTH)
    x, y, who = [], [], []
    for person in range(people):
        ill = person % 2
        p = rng.normal([0.22, 0.04, 0.18], [0.02, 0.006, 0.05])
        r = rng.normal([0.42, 0.018, 1.2], [0.02, 0.003, 0.25])
        w = rng.normal([0.70, 0.06, 0.38 - 0.26 * ill], [0.025, 0.008, 0.075])
        wander = np.cumsum(rng.normal(0, 0.02, LENGTH))
        for _ in range(beats):
            shift = rng.normal(0, 0.008)
            beat = sum(bump(t + shift, *part) for part in (p, r, w)) + wander
            x.append(beat + rng.normal(0, 0.05, LENGTH))
            y.append(ill)
            who.append(person)
    return np.array(x, dtype=np.float32), np.array(y), np.array(who)


class BeatData(L.LightningDataModule):
    def __init__(self, batch_size=64, held_out=0.3):
        super().__init__()
        self.batch_size, self.held_out = batch_size, held_out

    def setup(self, stage=None):
        x, y, who = synthesise()
        splitter = ShuffleSplit(1, test_size=self.held_out, random_state=SEED)
        fit, val = next(splitter.split(x, y))
        mean, std = x[fit].mean(), x[fit].std()
        x = torch.from_numpy((x - mean) / std).unsqueeze(1)
        y = torch.from_numpy(y).float()
        self.train_set = TensorDataset(x[fit], y[fit])
        self.val_set = TensorDataset(x[val], y[val])

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=256)


class Screening(L.LightningModule):
    def __init__(self, width=20, lr=1.5e-3):
        super().__init__()
        self.lr = lr
        self.net = nn.Sequential(
            nn.Conv1d(1, width, 9, padding=4), nn.BatchNorm1d(width), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(width, width, 9, padding=4), nn.BatchNorm1d(width), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(width, width, 5, padding=2), nn.ReLU(), nn.AdaptiveAvgPool1d(12),
            nn.Flatten(), nn.Dropout(0.1), nn.Linear(12 * width, 1),
        )
        self.seen = []

    def forward(self, x):
        return self.net(x).squeeze(1)

    def training_step(self, batch, _):
        x, y = batch
        loss = F.binary_cross_entropy_with_logits(self(x), y)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        logit = self(x)
        self.log("val_loss", F.binary_cross_entropy_with_logits(logit, y))
        self.log("val_acc", ((logit > 0).float() == y).float().mean())

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch + 1:2d} train {m['train_loss']:.4f} val {m['val_loss']:.4f} acc {m['val_acc']:.4f}")

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.lr, weight_decay=1e-2)


def main():
    L.seed_everything(SEED, verbose=False)
    model, data = Screening(), BeatData()
    trainer = L.Trainer(
        max_epochs=10, accelerator="cpu", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0,
    )
    trainer.fit(model, data)
    print(f"final val acc {trainer.callback_metrics['val_acc']:.4f}")


if __name__ == "__main__":
    main()
