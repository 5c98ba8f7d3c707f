import argparse
import logging
import tempfile
import warnings

import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import LearningRateMonitor, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from sklearn.datasets import load_digits
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class DigitsData(L.LightningDataModule):
    def __init__(self, seed, batch_size=32):
        super().__init__()
        self.seed = seed
        self.batch_size = batch_size

    def setup(self, stage=None):
        x, y = load_digits(return_X_y=True)
        x = torch.tensor(x, dtype=torch.float32).view(-1, 1, 8, 8) / 16.0
        y = torch.tensor(y)
        idx = torch.arange(len(y)).numpy()
        tr, rest = train_test_split(idx, test_size=0.4, stratify=y, random_state=self.seed)
        va, te = train_test_split(rest, test_size=0.5, stratify=y[rest], random_state=self.seed)
        mean, std = x[tr].mean(), x[tr].std()
        x = (x - mean) / std
        self.sets = {k: TensorDataset(x[i], y[i]) for k, i in
                     (("train", tr), ("val", va), ("test", te))}

    def train_dataloader(self):
        return DataLoader(self.sets["train"], self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.sets["val"], 256)

    def test_dataloader(self):
        return DataLoader(self.sets["test"], 256)


class DigitNet(L.LightningModule):
    def __init__(self, lr=1e-3, width=24, epochs=18, steps_per_epoch=34):
        super().__init__()
        self.save_hyperparameters()
        self.features = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1), nn.GroupNorm(4, width), nn.GELU(),
            nn.Conv2d(width, 2 * width, 3, padding=1), nn.GroupNorm(4, 2 * width), nn.GELU(),
            nn.MaxPool2d(2),
            nn.Conv2d(2 * width, 2 * width, 3, padding=1), nn.GELU(),
            nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.head = nn.Sequential(nn.Dropout(0.1), nn.Linear(2 * width, 10))
        self._preds = []

    def forward(self, x):
        return self.head(self.features(x))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def _collect(self, batch):
        x, y = batch
        logits = self(x)
        self._preds.append((logits.argmax(1), y))
        return F.cross_entropy(logits, y)

    def _macro_f1(self):
        pred = torch.cat([p for p, _ in self._preds])
        true = torch.cat([t for _, t in self._preds])
        self._preds.clear()
        return float(f1_score(true, pred, average="macro")), float((pred == true).float().mean())

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self._collect(batch), on_epoch=True)

    def on_validation_epoch_end(self):
        f1, acc = self._macro_f1()
        self.log("val_f1", f1)
        self.log("val_acc", acc)
        if not self.trainer.sanity_checking:
            print(f"epoch {self.current_epoch:2d} val_f1 {f1:.3f} val_acc {acc:.3f}")

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self._collect(batch), on_epoch=True)

    def on_test_epoch_end(self):
        f1, acc = self._macro_f1()
        self.log("test_f1", f1)
        self.log("test_acc", acc)

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr, weight_decay=1e-2)
        total = self.hparams.epochs * self.hparams.steps_per_epoch
        sched = torch.optim.lr_scheduler.OneCycleLR(opt, self.hparams.lr * 3, total_steps=total + 1)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "step"}}


def run(cfg):
    L.seed_everything(cfg.seed, verbose=False)
    data = DigitsData(cfg.seed)
    data.setup()
    model = DigitNet(epochs=cfg.epochs, steps_per_epoch=len(data.train_dataloader()))
    with tempfile.TemporaryDirectory() as work:
        best = ModelCheckpoint(
            dirpath=work,
            filename="{epoch:02d}-{val_f1:.3f}",
            monitor="val_f1",
            save_top_k=1,
        )
        trainer = L.Trainer(
            max_epochs=cfg.epochs, accelerator="cpu", devices=1, gradient_clip_val=1.0,
            callbacks=[best, LearningRateMonitor("step")], logger=CSVLogger(work),
            enable_progress_bar=False, enable_model_summary=False, log_every_n_steps=10)
        trainer.fit(model, datamodule=data)
        result = trainer.test(model, datamodule=data, ckpt_path="best", verbose=False)[0]
    print(f"test f1 {result['test_f1']:.4f}  test acc {result['test_acc']:.4f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=18)
    run(parser.parse_args())
