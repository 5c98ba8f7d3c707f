"""Event-sequence classifier: predict the category of the event that follows a trigger event."""
import argparse
import logging

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)

VOCAB, TRIGGER, N_CLASSES = 21, 0, 4


def make_sequences(n, length, generator):
    x = torch.randint(1, VOCAB, (n, length), generator=generator)
    pos = torch.randint(0, length - 1, (n,), generator=generator)
    rows = torch.arange(n)
    x[rows, pos] = TRIGGER
    y = (x[rows, pos + 1] - 1) % N_CLASSES
    return x, y


class EventData(L.LightningDataModule):
    def __init__(self, n_train=4000, n_val=1000, length=14, batch_size=64):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage=None):
        g = torch.Generator().manual_seed(7)
        self.train_set = TensorDataset(*make_sequences(self.hparams.n_train, self.hparams.length, g))
        self.val_set = TensorDataset(*make_sequences(self.hparams.n_val, self.hparams.length, g))

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.hparams.batch_size, shuffle=True, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=256)


class EventClassifier(L.LightningModule):
    def __init__(self, dim=32, hidden=64, lr=5e-3, weight_decay=1e-2):
        super().__init__()
        self.save_hyperparameters()
        self.embed = nn.Embedding(VOCAB, dim)
        self.rnn = nn.GRU(dim, hidden, batch_first=True)
        self.norm = nn.LayerNorm(hidden)
        self.head = nn.Linear(hidden, N_CLASSES)

    def forward(self, x):
        _, h = self.rnn(self.embed(x))
        return self.head(self.norm(h[-1]))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        self.log("val_loss", F.cross_entropy(logits, y))
        self.log("val_acc", (logits.argmax(-1) == y).float().mean())

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch}: train_loss={m['train_loss']:.4f} "
              f"val_loss={m['val_loss']:.4f} val_acc={m['val_acc']:.3f}")

    def configure_optimizers(self):
        decay, no_decay = [], []
        for module in self.modules():
            if isinstance(module, nn.Linear):
                decay.append(module.weight)
                no_decay.append(module.bias)
            elif isinstance(module, (nn.LayerNorm, nn.Embedding)):
                no_decay.extend(module.parameters(recurse=False))
            elif isinstance(module, nn.GRU):
                decay.extend(p for n, p in module.named_parameters() if n.startswith("weight"))
                no_decay.extend(p for n, p in module.named_parameters() if n.startswith("bias"))
        groups = [
            {"params": decay, "weight_decay": self.hparams.weight_decay},
            {"params": no_decay, "weight_decay": 0.0},
        ]
        return torch.optim.AdamW(groups, lr=self.hparams.lr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--lr", type=float, default=5e-3)
    args = parser.parse_args()

    L.seed_everything(0, verbose=False)
    data = EventData()
    model = EventClassifier(lr=args.lr)
    trainer = L.Trainer(
        max_epochs=args.epochs,
        accelerator="cpu",
        gradient_clip_val=1.0,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(model, data)
    result = trainer.validate(model, data, verbose=False)[0]
    print(f"final val accuracy: {result['val_acc']:.4f}")


if __name__ == "__main__":
    main()
