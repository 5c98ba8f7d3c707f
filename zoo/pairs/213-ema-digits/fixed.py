"""Handwritten digits with Lightning; validation and test use an exponential moving average of the weights."""
import copy
import logging
import warnings

import lightning as L
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
warnings.filterwarnings("ignore")


class DigitsData(L.LightningDataModule):
    def __init__(self, batch_size=64, seed=0):
        super().__init__()
        self.batch_size, self.seed = batch_size, seed

    def setup(self, stage=None):
        x, y = load_digits(return_X_y=True)
        x = torch.tensor(x / 16.0, dtype=torch.float32).view(-1, 1, 8, 8)
        y = torch.tensor(y)
        rest, test = train_test_split(np.arange(len(y)), test_size=400, stratify=y, random_state=self.seed)
        train, val = train_test_split(rest, test_size=200, stratify=y[rest], random_state=self.seed)
        self.parts = {k: TensorDataset(x[i], y[i]) for k, i in (("train", train), ("val", val), ("test", test))}

    def train_dataloader(self):
        return DataLoader(self.parts["train"], self.batch_size, shuffle=True, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.parts["val"], 200)

    def test_dataloader(self):
        return DataLoader(self.parts["test"], 200)


class ResidualBlock(nn.Module):
    def __init__(self, c_in, c_out, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(c_in, c_out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(c_out)
        self.conv2 = nn.Conv2d(c_out, c_out, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(c_out)
        self.skip = nn.Identity()
        if stride != 1 or c_in != c_out:
            self.skip = nn.Sequential(nn.Conv2d(c_in, c_out, 1, stride, bias=False), nn.BatchNorm2d(c_out))

    def forward(self, x):
        h = F.relu(self.bn1(self.conv1(x)))
        return F.relu(self.bn2(self.conv2(h)) + self.skip(x))


class DigitNet(L.LightningModule):
    def __init__(self, width=16, lr=2e-3, max_epochs=10):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            ResidualBlock(1, width), ResidualBlock(width, 2 * width, stride=2),
            nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2 * width, 10))

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def _score(self, batch, name):
        x, y = batch
        logits = self(x)
        self.log(f"{name}_loss", F.cross_entropy(logits, y))
        self.log(f"{name}_acc", (logits.argmax(1) == y).float().mean())

    def validation_step(self, batch, batch_idx):
        self._score(batch, "val")

    def test_step(self, batch, batch_idx):
        self._score(batch, "test")

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr, weight_decay=1e-3)
        sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, self.hparams.max_epochs)
        return [opt], [sched]


class WeightAverage(L.Callback):
    """Keeps an averaged copy of the network and swaps it in for validation and test."""

    def __init__(self, decay=0.97):
        self.decay = decay
        self.shadow = None
        self.live = None

    def on_fit_start(self, trainer, module):
        self.shadow = copy.deepcopy(module.net).requires_grad_(False)

    @torch.no_grad()
    def on_train_batch_end(self, trainer, module, outputs, batch, batch_idx):
        for avg, new in zip(self.shadow.parameters(), module.net.parameters()):
            avg.lerp_(new, 1 - self.decay)
        for avg, new in zip(self.shadow.buffers(), module.net.buffers()):
            avg.copy_(new)

    def _enter(self, module):
        if self.shadow is not None:
            self.live, module.net = module.net, self.shadow
            module.net.eval()

    def _leave(self, module):
        if self.live is not None:
            module.net, self.live = self.live, None

    def on_validation_epoch_start(self, trainer, module):
        self._enter(module)

    def on_validation_epoch_end(self, trainer, module):
        self._leave(module)
        m = trainer.callback_metrics
        if not trainer.sanity_checking and "train_loss" in m:
            print(f"epoch {trainer.current_epoch} train loss {m['train_loss']:.4f}", flush=True)

    def on_test_epoch_start(self, trainer, module):
        self._enter(module)

    def on_test_epoch_end(self, trainer, module):
        self._leave(module)


if __name__ == "__main__":
    L.seed_everything(5, verbose=False)
    data = DigitsData()
    model = DigitNet()
    trainer = L.Trainer(max_epochs=10, accelerator="cpu", callbacks=[WeightAverage()], logger=False,
                        enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
                        num_sanity_val_steps=0)
    trainer.fit(model, data)
    print(f"validation accuracy {trainer.callback_metrics['val_acc']:.4f}")
    result = trainer.test(model, data, verbose=False)[0]
    print(f"final test accuracy {result['test_acc']:.4f} loss {result['test_loss']:.4f}")
