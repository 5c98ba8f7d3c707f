"""Surrogate model for a simulator response (Friedman #1 function), trained with a one-cycle schedule."""
import logging
import warnings

import lightning as L
import numpy as np
import torch
from sklearn.datasets import make_friedman1
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


def load_data(batch_size=64):
    x, y = make_friedman1(n_samples=4000, n_features=10, noise=0.3, random_state=3)
    x_train, x_val, y_train, y_val = train_test_split(x, y, test_size=0.25, random_state=0)
    xs = StandardScaler().fit(x_train)
    mean, std = y_train.mean(), y_train.std()

    def to_set(a, b):
        return TensorDataset(
            torch.tensor(xs.transform(a), dtype=torch.float32),
            torch.tensor((b - mean) / std, dtype=torch.float32).unsqueeze(1),
        )

    train = DataLoader(to_set(x_train, y_train), batch_size=batch_size, shuffle=True, drop_last=True)
    val = DataLoader(to_set(x_val, y_val), batch_size=500)
    return train, val


class Surrogate(L.LightningModule):
    def __init__(self, n_in=10, width=96, max_lr=0.08):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Linear(n_in, width), nn.SiLU(),
            nn.Linear(width, width), nn.SiLU(),
            nn.Linear(width, 1),
        )
        self.val_pred, self.val_true = [], []

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self(x), y)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.val_pred.append(self(x))
        self.val_true.append(y)

    def on_validation_epoch_end(self):
        pred, true = torch.cat(self.val_pred), torch.cat(self.val_true)
        self.val_pred.clear()
        self.val_true.clear()
        r2 = 1 - ((pred - true) ** 2).sum() / ((true - true.mean()) ** 2).sum()
        self.log("val_mse", ((pred - true) ** 2).mean())
        self.log("val_r2", r2)

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch:2d}  train {m['train_loss']:.4f}  "
              f"val mse {m['val_mse']:.4f}  r2 {m['val_r2']:.4f}")

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=self.hparams.max_lr, momentum=0.9, nesterov=True)
        scheduler = torch.optim.lr_scheduler.OneCycleLR(
            optimizer,
            max_lr=self.hparams.max_lr,
            total_steps=self.trainer.estimated_stepping_batches,
            pct_start=0.25,
            div_factor=100,
            cycle_momentum=False,
        )
        return [optimizer], [scheduler]


def main():
    L.seed_everything(11, verbose=False)
    train_loader, val_loader = load_data()
    model = Surrogate()
    trainer = L.Trainer(
        max_epochs=20,
        accelerator="cpu",
        gradient_clip_val=5.0,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(model, train_loader, val_loader)
    metrics = trainer.validate(model, val_loader, verbose=False)[0]
    print(f"validation R2: {metrics['val_r2']:.4f}  RMSE (standardised): {np.sqrt(metrics['val_mse']):.4f}")


if __name__ == "__main__":
    main()
