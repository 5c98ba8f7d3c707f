"""Tone-pattern classification from log-spectrograms, LightningModule with manual optimisation."""
import logging
import warnings
from dataclasses import dataclass

import lightning as L
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


@dataclass
class Config:
    n_train: int = 1600
    n_val: int = 400
    n_classes: int = 6
    length: int = 1024
    micro_batch: int = 16
    accumulate: int = 4
    epochs: int = 14
    lr: float = 0.05
    momentum: float = 0.9
    seed: int = 7


def synth(cfg, n, rng):
    """Each class is an ordered pair of tones: first half, second half."""
    tones = [(0.05, 0.12), (0.12, 0.05), (0.05, 0.2), (0.2, 0.05), (0.12, 0.2), (0.2, 0.12)]
    t = np.arange(cfg.length)
    y = rng.integers(0, cfg.n_classes, n)
    x = np.zeros((n, cfg.length), dtype=np.float32)
    for i in range(n):
        f = [tones[y[i]][k] * rng.uniform(0.93, 1.07) for k in (0, 1)]
        cut = int(cfg.length * rng.uniform(0.4, 0.6))
        freq = np.where(t < cut, f[0], f[1])
        x[i] = np.sin(2 * np.pi * np.cumsum(freq) + rng.uniform(0, 6.28)) * rng.uniform(0.3, 0.8)
        x[i] += rng.normal(0, 1.1, cfg.length)
    return torch.from_numpy(x), torch.from_numpy(y)


class LogSpectrogram(nn.Module):
    def __init__(self, n_fft=64, hop=32):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft))

    def forward(self, x):
        spec = torch.stft(x, self.n_fft, self.hop, window=self.window, return_complex=True).abs()
        spec = torch.log1p(spec)
        return (spec - spec.mean((1, 2), keepdim=True)) / (spec.std((1, 2), keepdim=True) + 1e-5)


class KeywordNet(L.LightningModule):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.automatic_optimization = False
        self.frontend = LogSpectrogram()
        self.body = nn.Sequential(
            nn.Conv1d(33, 48, 5, padding=2), nn.GroupNorm(4, 48), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(48, 48, 5, padding=2), nn.GroupNorm(4, 48), nn.ReLU(), nn.MaxPool1d(2),
            nn.Flatten(), nn.Dropout(0.2), nn.Linear(48 * 8, cfg.n_classes),
        )
        self.history = []

    def forward(self, x):
        return self.body(self.frontend(x))

    def training_step(self, batch, batch_idx):
        x, y = batch
        opt = self.optimizers()
        loss = F.cross_entropy(self(x), y)
        self.manual_backward(loss / self.cfg.accumulate)
        if (batch_idx + 1) % self.cfg.accumulate == 0:
            opt.step()
            opt.zero_grad()
        self.log("train_loss", loss, on_epoch=True, on_step=False)

    def on_train_epoch_end(self):
        self.lr_schedulers().step()
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch:2d} loss {m['train_loss']:.4f} val acc {m.get('val_acc', 0):.4f}")

    def validation_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        self.log("val_loss", F.cross_entropy(logits, y))
        self.log("val_acc", (logits.argmax(1) == y).float().mean())

    def configure_optimizers(self):
        opt = torch.optim.SGD(self.parameters(), lr=self.cfg.lr, momentum=self.cfg.momentum, weight_decay=1e-4)
        return [opt], [torch.optim.lr_scheduler.CosineAnnealingLR(opt, self.cfg.epochs)]


def main():
    cfg = Config()
    L.seed_everything(cfg.seed, verbose=False)
    rng = np.random.default_rng(cfg.seed)
    train = DataLoader(TensorDataset(*synth(cfg, cfg.n_train, rng)), cfg.micro_batch, shuffle=True)
    val = DataLoader(TensorDataset(*synth(cfg, cfg.n_val, rng)), 200)
    model = KeywordNet(cfg)
    trainer = L.Trainer(max_epochs=cfg.epochs, accelerator="cpu", logger=False, enable_checkpointing=False,
                        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
    trainer.fit(model, train, val)
    result = trainer.validate(model, val, verbose=False)[0]
    print(f"final val accuracy {result['val_acc']:.4f} loss {result['val_loss']:.4f}")


if __name__ == "__main__":
    main()
