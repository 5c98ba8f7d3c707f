import logging
import warnings

import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import ModelCheckpoint
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

warnings.filterwarnings("ignore", ".*does not have many workers.*")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class DigitsDataModule(L.LightningDataModule):
    def __init__(self, batch_size: int = 32, seed: int = 0):
        super().__init__()
        self.batch_size = batch_size
        self.seed = seed

    def setup(self, stage=None):
        bunch = load_digits()
        x = torch.tensor(bunch.data, dtype=torch.float32)
        y = torch.tensor(bunch.target)
        g = torch.Generator().manual_seed(self.seed)
        train, val, test = random_split(range(len(x)), [0.6, 0.15, 0.25], generator=g)
        idx = torch.tensor(list(train))
        mean, std = x[idx].mean(0), x[idx].std(0).clamp(min=1.0)
        x = (x - mean) / std
        self.splits = {}
        for name, part in (("train", train), ("val", val), ("test", test)):
            i = torch.tensor(list(part))
            self.splits[name] = TensorDataset(x[i], y[i])

    def train_dataloader(self):
        return DataLoader(self.splits["train"], batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.splits["val"], batch_size=128)

    def test_dataloader(self):
        return DataLoader(self.splits["test"], batch_size=128)


class LitMLP(L.LightningModule):
    def __init__(self, hidden: int = 64, lr: float = 2e-3, dropout: float = 0.2):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Linear(64, hidden), nn.ReLU(), nn.Dropout(dropout),
            nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 10),
        )

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("train_loss", loss)
        return loss

    def _shared_eval(self, batch, prefix):
        x, y = batch
        logits = self(x)
        acc = (logits.argmax(1) == y).float().mean()
        self.log_dict({f"{prefix}_loss": F.cross_entropy(logits, y), f"{prefix}_acc": acc}, batch_size=len(y))

    def validation_step(self, batch, batch_idx):
        self._shared_eval(batch, "val")

    def test_step(self, batch, batch_idx):
        self._shared_eval(batch, "test")

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)


if __name__ == "__main__":
    L.seed_everything(12, verbose=False)
    dm = DigitsDataModule()
    model = LitMLP()
    ckpt = ModelCheckpoint(dirpath="checkpoints", monitor="val_acc", mode="max", save_top_k=1)
    trainer = L.Trainer(
        max_epochs=6, accelerator="cpu", devices=1, logger=False, callbacks=[ckpt],
        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0,
    )
    trainer.fit(model, datamodule=dm)
    print(f"best val_acc {ckpt.best_model_score.item():.4f}")
    best = LitMLP.load_from_checkpoint(ckpt.best_model_path)
    result = trainer.test(best, datamodule=dm, verbose=False)[0]
    print(f"test_acc: {result['test_acc']:.4f}")
