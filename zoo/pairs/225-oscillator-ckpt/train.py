"""Surrogate for a damped, driven oscillator: parameters + time -> displacement and velocity."""
import logging
import tempfile
import warnings

import lightning.pytorch as pl
import numpy as np
import torch
from lightning.pytorch.callbacks import EarlyStopping, LearningRateMonitor, ModelCheckpoint  # noqa: F401
from scipy.integrate import solve_ivp
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


def simulate(n, rng):
    rows, targets = [], []
    for _ in range(n):
        zeta, omega, drive, freq = rng.uniform(0.05, 0.4), rng.uniform(0.8, 2.0), rng.uniform(0, 1), rng.uniform(0.5, 2)
        x0, v0 = rng.uniform(-1, 1, 2)

        def rhs(t, s):
            return [s[1], -2 * zeta * omega * s[1] - omega**2 * s[0] + drive * np.cos(freq * t)]

        t = np.sort(rng.uniform(0, 5, 24))
        sol = solve_ivp(rhs, (0, 5), [x0, v0], t_eval=t, rtol=1e-4, max_step=0.25)
        rows.append(np.column_stack([np.tile([zeta, omega, drive, freq, x0, v0], (24, 1)), t]))
        targets.append(sol.y.T)
    return (torch.tensor(np.concatenate(rows), dtype=torch.float32),
            torch.tensor(np.concatenate(targets), dtype=torch.float32))


class OscillatorData(pl.LightningDataModule):
    def __init__(self, seed, batch_size=128):
        super().__init__()
        rng = np.random.default_rng(seed)
        self.batch_size = batch_size
        (x_tr, y_tr), (x_va, y_va), (x_te, y_te) = simulate(260, rng), simulate(50, rng), simulate(60, rng)
        mean, std = x_tr.mean(0), x_tr.std(0)
        self.sets = {
            "train": TensorDataset((x_tr - mean) / std, y_tr),
            "val": TensorDataset((x_va - mean) / std, y_va),
            "test": TensorDataset((x_te - mean) / std, y_te),
        }

    def _loader(self, name):
        return DataLoader(self.sets[name], batch_size=self.batch_size, shuffle=name == "train")

    def train_dataloader(self):
        return self._loader("train")

    def val_dataloader(self):
        return self._loader("val")

    def test_dataloader(self):
        return self._loader("test")


class Surrogate(pl.LightningModule):
    def __init__(self, width=96, lr=2e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Linear(7, width), nn.Tanh(),
            nn.Linear(width, width), nn.Tanh(),
            nn.Linear(width, width), nn.Tanh(),
            nn.Linear(width, 2),
        )

    def forward(self, x):
        return self.net(x)

    def _r2(self, pred, y):
        return 1 - ((pred - y) ** 2).mean() / y.var(unbiased=False)

    def training_step(self, batch, _):
        x, y = batch
        loss = nn.functional.mse_loss(self(x), y)
        self.log("train_mse", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        pred = self(x)
        self.log("val_mse", nn.functional.mse_loss(pred, y))
        self.log("val_r2", self._r2(pred, y))

    def test_step(self, batch, _):
        x, y = batch
        self.log("test_mse", nn.functional.mse_loss(self(x), y))

    def on_validation_epoch_end(self):
        m = self.trainer.callback_metrics
        if self.current_epoch % 5 == 0:
            print(f"epoch {self.current_epoch:3d} val_mse {m['val_mse']:.4f} val_r2 {m['val_r2']:.4f}")

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
        sch = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=self.trainer.max_epochs)
        return {"optimizer": opt, "lr_scheduler": sch}


def main(seed=0):
    pl.seed_everything(seed)
    data = OscillatorData(seed)
    model = Surrogate()
    with tempfile.TemporaryDirectory() as folder:
        keep = ModelCheckpoint(dirpath=folder, monitor="val_mse", mode="max", save_top_k=1)
        trainer = pl.Trainer(
            max_epochs=40,
            accelerator="cpu",
            logger=False,
            callbacks=[keep],
            enable_progress_bar=False,
            enable_model_summary=False,
            gradient_clip_val=1.0,
        )
        trainer.fit(model, datamodule=data)
        result = trainer.test(model, datamodule=data, ckpt_path="best", verbose=False)[0]
    print(f"test MSE: {result['test_mse']:.5f}")


if __name__ == "__main__":
    main()
