"""Temporal conv net (Lightning) that forecasts the load of a pump which echoes its own past."""
import warnings
from dataclasses import dataclass

import lightning as L
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
import logging
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


@dataclass
class TCNConfig:
    channels: int = 24
    levels: int = 5
    kernel_size: int = 3
    dilation_base: int = 2
    lr: float = 3e-3
    epochs: int = 8
    window: int = 96


class CausalConv(nn.Module):
    def __init__(self, cin, cout, kernel_size, dilation):
        super().__init__()
        self.pad = (kernel_size - 1) * dilation
        self.conv = nn.Conv1d(cin, cout, kernel_size, dilation=dilation)

    def forward(self, x):
        return self.conv(F.pad(x, (self.pad, 0)))


class Block(nn.Module):
    def __init__(self, ch, kernel_size, dilation):
        super().__init__()
        self.conv1 = CausalConv(ch, ch, kernel_size, dilation)
        self.mix = nn.Conv1d(ch, ch, 1)

    def forward(self, x):
        return x + self.mix(F.relu(self.conv1(x)))


class PumpTCN(L.LightningModule):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.inp = nn.Conv1d(1, cfg.channels, 1)
        self.blocks = nn.Sequential(*[
            Block(cfg.channels, cfg.kernel_size, cfg.dilation_base ** i) for i in range(cfg.levels)
        ])
        self.out = nn.Conv1d(cfg.channels, 1, 1)

    def forward(self, x):
        return self.out(F.relu(self.blocks(self.inp(x))))

    def _error(self, batch):
        x, y = batch
        pred = self(x)[..., 40:]  # the first samples of a window have no past to look at
        return F.mse_loss(pred, y[..., 40:])

    def training_step(self, batch, _):
        loss = self._error(batch)
        self.log("train_mse", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, _):
        self.log("val_mse", self._error(batch))

    def on_validation_epoch_end(self):
        if not self.trainer.sanity_checking:
            v = self.trainer.callback_metrics["val_mse"].item()
            self.print(f"epoch {self.current_epoch}: val MSE {v:.4f}  R2 {1 - v:.3f}")

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=self.cfg.lr)
        return [opt], [torch.optim.lr_scheduler.CosineAnnealingLR(opt, self.cfg.epochs)]


def pump_series(n, seed):
    rng = np.random.default_rng(seed)
    drive = np.convolve(rng.standard_normal(n + 100), [0.5, 0.3, 0.2])[:n + 100]
    load = np.zeros(n + 100)
    for t in range(40, n + 100):
        load[t] = 0.9 * np.tanh(2 * drive[t - 28]) + 0.6 * drive[t - 19] * drive[t - 28] + 0.3 * drive[t - 1]
    load += 0.05 * rng.standard_normal(len(load))
    return drive[100:].astype("float32"), load[100:].astype("float32")


def windows(n, seed, stats, width):
    d, l = pump_series(n, seed)
    d, l = (d - stats[0]) / stats[1], (l - stats[2]) / stats[3]
    k = n // width
    return TensorDataset(torch.from_numpy(d[:k * width]).view(k, 1, width), torch.from_numpy(l[:k * width]).view(k, 1, width))


def main():
    L.seed_everything(13, verbose=False)
    cfg = TCNConfig()
    d, l = pump_series(90_000, 1)
    stats = (d.mean(), d.std(), l.mean(), l.std())
    train = DataLoader(windows(90_000, 1, stats, cfg.window), batch_size=16, shuffle=True)
    val = DataLoader(windows(15_000, 2, stats, cfg.window), batch_size=64)
    trainer = L.Trainer(max_epochs=cfg.epochs, accelerator="cpu", logger=False, enable_checkpointing=False,
                        enable_progress_bar=False, enable_model_summary=False, gradient_clip_val=1.0)
    trainer.fit(PumpTCN(cfg), train, val)


if __name__ == "__main__":
    main()
