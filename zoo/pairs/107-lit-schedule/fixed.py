import argparse
import logging
import math
import tempfile
import warnings

import lightning as L
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class DigitsData(L.LightningDataModule):
    def __init__(self, batch_size):
        super().__init__()
        self.batch_size = batch_size
        x, y = load_digits(return_X_y=True)
        x = (x / 16.0 - 0.3).astype("float32")
        xa, xb, ya, yb = train_test_split(x, y, test_size=0.3, random_state=0, stratify=y)
        self.train_set = TensorDataset(torch.from_numpy(xa).view(-1, 1, 8, 8), torch.from_numpy(ya))
        self.test_set = TensorDataset(torch.from_numpy(xb).view(-1, 1, 8, 8), torch.from_numpy(yb))

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.batch_size, shuffle=True, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.test_set, batch_size=256)


class PatchNet(L.LightningModule):
    """2x2 patches, a small transformer encoder, mean pooling."""

    def __init__(self, lr, warmup, total):
        super().__init__()
        self.save_hyperparameters()
        d = 48
        self.patch = nn.Conv2d(1, d, 2, stride=2)
        self.pos = nn.Parameter(torch.randn(1, 16, d) * 0.02)
        layer = nn.TransformerEncoderLayer(d, 4, 96, dropout=0.0, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(d)
        self.head = nn.Linear(d, 10)

    def forward(self, x):
        h = self.patch(x).flatten(2).transpose(1, 2) + self.pos
        return self.head(self.norm(self.encoder(h).mean(1)))

    def training_step(self, batch, _):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        out = self(x)
        self.log("val_loss", F.cross_entropy(out, y))
        self.log("val_acc", (out.argmax(-1) == y).float().mean())

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        if self.current_epoch % 2 == 1 and "val_acc" in m:
            print(f"epoch {self.current_epoch + 1:3d}  train {m['train_loss']:.4f}  val {m['val_loss']:.4f}  acc {m['val_acc']:.4f}")

    def configure_optimizers(self):
        hp = self.hparams
        opt = torch.optim.AdamW(self.parameters(), lr=hp.lr, weight_decay=0.01)

        def factor(step):
            if step < hp.warmup:
                return (step + 1) / hp.warmup
            done = (step - hp.warmup) / max(1, hp.total - hp.warmup)
            return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(1.0, done)))

        sched = torch.optim.lr_scheduler.LambdaLR(opt, factor)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "step"}}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=14)
    ap.add_argument("--batch-size", type=int, default=32)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--warmup-steps", type=int, default=100)
    args = ap.parse_args()
    torch.set_num_threads(1)
    L.seed_everything(1, verbose=False)
    data = DigitsData(args.batch_size)
    total = args.epochs * len(data.train_dataloader())
    model = PatchNet(args.lr, args.warmup_steps, total)
    with tempfile.TemporaryDirectory() as tmp:
        trainer = L.Trainer(max_epochs=args.epochs, accelerator="cpu", logger=False, enable_checkpointing=False,
                            enable_progress_bar=False, enable_model_summary=False, default_root_dir=tmp,
                            gradient_clip_val=1.0)
        trainer.fit(model, data)
        res = trainer.validate(model, data, verbose=False)[0]
    print(f"steps {trainer.global_step}  held-out accuracy {res['val_acc']:.4f}  loss {res['val_loss']:.4f}")


if __name__ == "__main__":
    main()
