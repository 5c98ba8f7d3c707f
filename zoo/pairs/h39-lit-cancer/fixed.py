"""Breast-cancer classifier with a weighted loss, plateau scheduler, early stopping and best-checkpoint test."""
import logging
import tempfile
import warnings

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class CancerData(L.LightningDataModule):
    def setup(self, stage=None):
        x, y = load_breast_cancer(return_X_y=True)
        x_rest, x_test, y_rest, y_test = train_test_split(x, y, test_size=0.2, stratify=y, random_state=0)
        x_train, x_val, y_train, y_val = train_test_split(x_rest, y_rest, test_size=0.2, stratify=y_rest,
                                                          random_state=0)
        scaler = StandardScaler().fit(x_train)
        self.pos_weight = torch.tensor((y_train == 0).sum() / (y_train == 1).sum(), dtype=torch.float32)

        def pack(a, b):
            return TensorDataset(torch.tensor(scaler.transform(a), dtype=torch.float32),
                                 torch.tensor(b, dtype=torch.float32))

        self.train_set, self.val_set, self.test_set = pack(x_train, y_train), pack(x_val, y_val), pack(x_test, y_test)

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=16, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=128)

    def test_dataloader(self):
        return DataLoader(self.test_set, batch_size=128)


class LitClassifier(L.LightningModule):
    def __init__(self, pos_weight, lr=2e-3):
        super().__init__()
        self.lr = lr
        self.register_buffer("pos_weight", pos_weight)
        self.net = nn.Sequential(nn.Linear(30, 48), nn.ReLU(), nn.Dropout(0.2), nn.Linear(48, 1))
        self.outputs = []

    def forward(self, x):
        return self.net(x).squeeze(-1)

    def loss(self, logits, y):
        return F.binary_cross_entropy_with_logits(logits, y, pos_weight=self.pos_weight)

    def training_step(self, batch, _):
        x, y = batch
        loss = self.loss(self(x), y)
        self.log("train_loss", loss, on_epoch=True, on_step=False)
        return loss

    def _eval_step(self, batch, name):
        x, y = batch
        logits = self(x)
        self.log(f"{name}_loss", self.loss(logits, y))
        self.log(f"{name}_acc", ((logits > 0).float() == y).float().mean())
        self.outputs.append((logits, y))

    def validation_step(self, batch, _):
        self._eval_step(batch, "val")

    def test_step(self, batch, _):
        self._eval_step(batch, "test")

    def on_validation_epoch_end(self):
        self._auc("val")

    def on_test_epoch_end(self):
        self._auc("test")

    def _auc(self, name):
        logits, y = (torch.cat(t) for t in zip(*self.outputs))
        self.outputs.clear()
        if not self.trainer.sanity_checking:
            self.log(f"{name}_auc", float(roc_auc_score(y.numpy(), logits.numpy())))

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch:2d} train {m['train_loss']:.4f} val {m['val_loss']:.4f} "
              f"acc {m['val_acc']:.4f} auc {m['val_auc']:.4f}")

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.lr, weight_decay=1e-3)
        sch = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.5, patience=3)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sch, "monitor": "val_loss"}}


def main():
    L.seed_everything(0, verbose=False)
    data = CancerData()
    data.setup()
    model = LitClassifier(data.pos_weight)
    with tempfile.TemporaryDirectory() as folder:
        ckpt = ModelCheckpoint(folder, monitor="val_loss", mode="min", save_top_k=1)
        trainer = L.Trainer(
            max_epochs=25, accelerator="cpu", logger=False, enable_progress_bar=False, enable_model_summary=False,
            callbacks=[ckpt, EarlyStopping("val_loss", patience=8, mode="min")], gradient_clip_val=1.0)
        trainer.fit(model, datamodule=data)
        out = trainer.test(model, datamodule=data, ckpt_path="best", verbose=False)[0]
    print(f"test accuracy {out['test_acc']:.4f} auc {out['test_auc']:.4f}")


if __name__ == "__main__":
    main()
