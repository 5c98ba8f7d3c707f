"""Bearing-fault classification from vibration windows (Lightning)."""
import logging
import warnings

import lightning as L
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)

CLASSES = ["healthy", "inner", "outer", "ball"]


def simulate(n, seed, T=128):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, len(CLASSES), n)
    t = np.arange(T)
    x = rng.normal(0, 0.6, (n, 2, T))
    for i, c in enumerate(y):
        load = rng.uniform(0.5, 2.0)
        x[i] += load * np.sin(2 * np.pi * t / 32 + rng.uniform(0, 6.3))
        if c:
            period = {1: 11, 2: 17, 3: 25}[c]
            start = rng.integers(0, period)
            for k in range(start, T, period):
                m = min(8, T - k)
                x[i, :, k:k + m] += rng.uniform(0.8, 1.6) * np.exp(-np.arange(m) / 2.5) * np.cos(2.2 * np.arange(m))
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y)


class FaultNet(L.LightningModule):
    def __init__(self, width=24, lr=3e-3):
        super().__init__()
        self.save_hyperparameters()
        def stage(i, o, d):
            return nn.Sequential(nn.Conv1d(i, o, 5, padding=2 * d, dilation=d), nn.BatchNorm1d(o), nn.ReLU(), nn.Dropout(0.25))
        self.body = nn.Sequential(stage(2, width, 1), nn.MaxPool1d(2), stage(width, width, 2), stage(width, width, 4))
        self.head = nn.Sequential(nn.Linear(width, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.4), nn.Linear(32, len(CLASSES)))

    def forward(self, x):
        return self.head(self.body(x).amax(-1))

    def training_step(self, batch, _):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        out = self(x)
        self.log("val_loss", F.cross_entropy(out, y))
        self.log("val_acc", (out.argmax(1) == y).float().mean())

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch:2d} train_loss {m['train_loss']:.4f} val_loss {m['val_loss']:.4f} val_acc {m['val_acc']:.4f}")

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr, weight_decay=1e-3)
        return {"optimizer": opt, "lr_scheduler": torch.optim.lr_scheduler.CosineAnnealingLR(opt, self.trainer.max_epochs)}


def main():
    L.seed_everything(4, verbose=False)
    Xtr, ytr = simulate(1600, 0)
    Xva, yva = simulate(400, 1)
    Xte, yte = simulate(600, 2)
    mu, sd = Xtr.mean((0, 2), keepdim=True), Xtr.std((0, 2), keepdim=True)
    Xtr, Xva, Xte = ((x - mu) / sd for x in (Xtr, Xva, Xte))

    model = FaultNet()
    trainer = L.Trainer(max_epochs=9, accelerator="cpu", logger=False, enable_checkpointing=False,
                        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
    trainer.fit(model, DataLoader(TensorDataset(Xtr, ytr), 32, shuffle=True), DataLoader(TensorDataset(Xva, yva), 200))

    # held-out bearings, in the order they were recorded
    preds = []
    with torch.no_grad():
        for chunk in Xte.split(6):
            preds.append(model(chunk).argmax(1))
    preds = torch.cat(preds)
    acc = (preds == yte).float().mean().item()
    print(f"test accuracy {acc:.4f}")
    for c, name in enumerate(CLASSES):
        sel = yte == c
        print(f"  {name:8s} recall {(preds[sel] == c).float().mean():.3f} (n={int(sel.sum())})")


if __name__ == "__main__":
    main()
