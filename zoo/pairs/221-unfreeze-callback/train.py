"""Two-stage finetuning: source task = clean digits 0-4, target task = degraded digits 5-9."""
import logging
import warnings

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
SEED = 0


def load(task):
    x, y = load_digits(return_X_y=True)
    x = torch.tensor(x / 16.0, dtype=torch.float32).view(-1, 1, 8, 8)
    y = torch.tensor(y)
    keep = y < 5 if task == "source" else y >= 5
    x, y = x[keep], y[keep] % 5
    if task == "target":
        g = torch.Generator().manual_seed(SEED)
        x = 1.0 - x                                            # negative film
        x = torch.rot90(x, 1, (2, 3)) + 0.25 * torch.randn(x.shape, generator=g)
    return x, y


def loaders(task, batch=32):
    x, y = load(task)
    a, b = train_test_split(torch.arange(len(x)), test_size=0.3, stratify=y, random_state=SEED)
    mk = lambda i, s: DataLoader(TensorDataset(x[i], y[i]), batch_size=batch, shuffle=s)
    return mk(a, True), mk(b, False)


def make_backbone():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.GroupNorm(4, 16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.GroupNorm(4, 32), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(128, 12), nn.ReLU(),
    )


class DigitModule(L.LightningModule):
    def __init__(self, backbone, lr=2e-3, freeze=False):
        super().__init__()
        self.backbone = backbone
        self.head = nn.Linear(12, 5)
        self.lr = lr
        if freeze:
            for p in self.backbone.parameters():
                p.requires_grad = False
        self.hits = []

    def forward(self, x):
        return self.head(self.backbone(x))

    def training_step(self, batch, _):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("train_loss", loss)
        return loss

    def on_validation_epoch_start(self):
        self.hits.clear()

    def validation_step(self, batch, _):
        x, y = batch
        self.hits.append((self(x).argmax(1) == y).float())

    def on_validation_epoch_end(self):
        self.log("val_acc", torch.cat(self.hits).mean())

    def configure_optimizers(self):
        params = [p for p in self.parameters() if p.requires_grad]
        return torch.optim.AdamW(params, lr=self.lr, weight_decay=1e-4)


class UnfreezeAt(Callback):
    """Train the head alone first, then let the backbone follow."""

    def __init__(self, epoch):
        self.epoch = epoch

    def on_train_epoch_start(self, trainer, pl_module):
        if trainer.current_epoch == self.epoch:
            for p in pl_module.backbone.parameters():
                p.requires_grad = True
            print(f"epoch {self.epoch}: backbone unfrozen")


class Report(Callback):
    def on_train_epoch_end(self, trainer, pl_module):
        m = trainer.callback_metrics
        if trainer.current_epoch % 5 == 4:
            print(f"epoch {trainer.current_epoch} loss {m['train_loss']:.3f} val_acc {m['val_acc']:.3f}")


def fit(module, task, epochs, callbacks=()):
    train, val = loaders(task)
    trainer = L.Trainer(
        max_epochs=epochs, accelerator="cpu", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0,
        callbacks=[*callbacks, Report()],
    )
    trainer.fit(module, train, val)
    return trainer.callback_metrics["val_acc"].item()


if __name__ == "__main__":
    L.seed_everything(SEED)
    backbone = make_backbone()
    print("--- source task")
    fit(DigitModule(backbone), "source", epochs=10)
    print("--- target task")
    module = DigitModule(backbone, lr=2e-3, freeze=True)
    acc = fit(module, "target", epochs=30, callbacks=[UnfreezeAt(5)])
    print(f"target val accuracy: {acc:.4f}")
