import logging
import warnings

import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from sklearn.datasets import make_friedman1
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)


class FriedmanData(L.LightningDataModule):
    def __init__(self, n=4000, batch_size=64):
        super().__init__()
        self.n, self.batch_size = n, batch_size

    def setup(self, stage=None):
        if hasattr(self, "train_ds"):
            return
        X, y = make_friedman1(self.n, n_features=12, noise=1.0, random_state=0)
        Xt, Xr, yt, yr = train_test_split(X, y, test_size=0.3, random_state=0)
        Xv, Xs, yv, ys = train_test_split(Xr, yr, test_size=0.5, random_state=0)
        xs, self.ys = StandardScaler().fit(Xt), StandardScaler().fit(yt[:, None])
        ds = lambda a, b: TensorDataset(torch.tensor(xs.transform(a), dtype=torch.float32),
                                        torch.tensor(self.ys.transform(b[:, None]), dtype=torch.float32))
        self.train_ds, self.val_ds, self.test_ds = ds(Xt, yt), ds(Xv, yv), ds(Xs, ys)

    def train_dataloader(self):
        return DataLoader(self.train_ds, self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_ds, 512)

    def test_dataloader(self):
        return DataLoader(self.test_ds, 512)


class Regressor(L.LightningModule):
    def __init__(self, d_in=12, hidden=64, lr=2e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(d_in, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(),
                                 nn.Linear(hidden, 1))

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, _):
        x, y = batch
        loss = F.mse_loss(self(x), y)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        self.log("val_loss", F.mse_loss(self(x), y))

    def test_step(self, batch, _):
        x, y = batch
        mse = F.mse_loss(self(x), y)
        self.log("test_mse", mse)
        self.log("test_r2", 1 - mse / y.var(unbiased=False))

    def on_validation_epoch_end(self):
        m = self.trainer.callback_metrics
        if not self.trainer.sanity_checking and self.current_epoch % 2 == 0:
            print(f"epoch {self.current_epoch} val_loss {m['val_loss'].item():.4f}")

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr, weight_decay=1e-3)
        sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.5, patience=2)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "monitor": "val_loss"}}


def main():
    L.seed_everything(11, verbose=False)
    data, model = FriedmanData(), Regressor()
    ckpt = ModelCheckpoint(dirpath="ckpt", monitor="val_loss", mode="min", enable_version_counter=False)
    trainer = L.Trainer(max_epochs=18, accelerator="cpu", logger=False, enable_progress_bar=False,
                        enable_model_summary=False, gradient_clip_val=1.0,
                        callbacks=[ckpt, EarlyStopping("val_loss", patience=5)])
    trainer.fit(model, datamodule=data)
    res = trainer.test(model, datamodule=data, ckpt_path=ckpt.best_model_path, verbose=False)[0]
    print(f"test mse {res['test_mse']:.4f} (standardised)  r2 {res['test_r2']:.4f}")


if __name__ == "__main__":
    main()
