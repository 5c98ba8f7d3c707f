"""Small CNN on the 8x8 digits, with gradient-norm monitoring."""
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


class DigitsModule(L.LightningDataModule):
    def __init__(self, batch_size=32):
        super().__init__()
        self.batch_size = batch_size

    def setup(self, stage=None):
        digits = load_digits()
        images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16.0
        labels = torch.tensor(digits.target)
        idx_train, idx_val = train_test_split(range(len(labels)), test_size=0.25, random_state=0,
                                              stratify=digits.target)
        mean, std = images[idx_train].mean(), images[idx_train].std()
        images = (images - mean) / std
        self.train_set = TensorDataset(images[idx_train], labels[idx_train])
        self.val_set = TensorDataset(images[idx_val], labels[idx_val])

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=256)


class DigitNet(L.LightningModule):
    def __init__(self, lr=0.03, momentum=0.9, monitor_every=20):
        super().__init__()
        self.save_hyperparameters()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.fc1 = nn.Linear(32 * 4, 64)
        self.fc2 = nn.Linear(64, 10)
        self.grad_norms = []

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.relu(self.fc1(x.flatten(1)))
        return self.fc2(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        self.log("val_loss", F.cross_entropy(logits, y), prog_bar=True)
        self.log("val_acc", (logits.argmax(1) == y).float().mean(), prog_bar=True)

    def optimizer_zero_grad(self, epoch, batch_idx, optimizer):
        if self.global_step > 0 and self.global_step % self.hparams.monitor_every == 0:
            norms = [p.grad.norm() for p in self.parameters() if p.grad is not None]
            self.grad_norms.append(torch.stack(norms).norm().item())
        super().optimizer_zero_grad(epoch, batch_idx, optimizer)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.lr, momentum=self.hparams.momentum,
                               weight_decay=1e-4)


class EpochPrinter(Callback):
    def on_train_epoch_end(self, trainer, module):
        m = trainer.callback_metrics
        norm = module.grad_norms[-1] if module.grad_norms else float("nan")
        print(f"epoch {trainer.current_epoch:2d} | train_loss {m['train_loss']:.4f} | "
              f"val_loss {m['val_loss']:.4f} | val_acc {m['val_acc']:.4f} | grad norm {norm:.3f}")


def main():
    L.seed_everything(1, verbose=False)
    data = DigitsModule()
    model = DigitNet()
    trainer = L.Trainer(
        max_epochs=10,
        accelerator="cpu",
        callbacks=[EpochPrinter()],
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(model, datamodule=data)
    out = trainer.validate(model, datamodule=data, verbose=False)[0]
    print(f"final: val_acc={out['val_acc']:.4f} val_loss={out['val_loss']:.4f}")


if __name__ == "__main__":
    main()
