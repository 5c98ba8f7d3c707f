"""Rare-event classifier: Lightning manual optimisation with SAM, mixup and a balanced sampler."""
import argparse
import logging
import math
import warnings

import lightning as L
import numpy as np
import torch
import torch.nn.functional as F
from sklearn.datasets import make_classification
from sklearn.metrics import average_precision_score, balanced_accuracy_score
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class RareEvents(L.LightningDataModule):
    def __init__(self, seed):
        super().__init__()
        x, y = make_classification(6000, 20, n_informative=8, n_redundant=4, n_classes=3,
                                   n_clusters_per_class=2, weights=[0.88, 0.08, 0.04],
                                   class_sep=1.6, flip_y=0.0, random_state=seed)
        xt, xe, yt, ye = train_test_split(x, y, test_size=0.3, stratify=y, random_state=seed)
        mu, sd = xt.mean(0), xt.std(0)
        pack = lambda a, b: TensorDataset(torch.tensor((a - mu) / sd, dtype=torch.float32),
                                          torch.tensor(b))
        self.train_set, self.test_set = pack(xt, yt), pack(xe, ye)
        counts = np.bincount(yt)
        self.sample_weights = torch.tensor(1.0 / counts[yt])

    def train_dataloader(self):
        sampler = WeightedRandomSampler(self.sample_weights, len(self.train_set))
        return DataLoader(self.train_set, 64, sampler=sampler, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.test_set, 500)


class SamClassifier(L.LightningModule):
    def __init__(self, epochs, steps, rho=0.05, alpha=0.3):
        super().__init__()
        self.automatic_optimization = False
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(20, 96), nn.LayerNorm(96), nn.GELU(), nn.Dropout(0.1),
                                 nn.Linear(96, 96), nn.GELU(), nn.Linear(96, 3))
        self.outputs = []

    def forward(self, x):
        return self.net(x)

    def mixed_loss(self, x, y, perm, lam):
        logits = self(lam * x + (1 - lam) * x[perm])
        return (lam * F.cross_entropy(logits, y, label_smoothing=0.05)
                + (1 - lam) * F.cross_entropy(logits, y[perm], label_smoothing=0.05))

    def training_step(self, batch, batch_idx):
        x, y = batch
        opt, sched = self.optimizers(), self.lr_schedulers()
        perm = torch.randperm(len(y))
        lam = float(np.random.beta(self.hparams.alpha, self.hparams.alpha))

        opt.zero_grad()
        first = self.mixed_loss(x, y, perm, lam)
        self.manual_backward(first)
        params = [p for p in self.parameters() if p.grad is not None]
        norm = torch.stack([p.grad.norm() for p in params]).norm() + 1e-12
        saved = [p.detach().clone() for p in params]
        with torch.no_grad():
            for p in params:
                p.add_(p.grad * (self.hparams.rho / norm))
        opt.zero_grad()
        self.manual_backward(self.mixed_loss(x, y, perm, lam))
        with torch.no_grad():
            for p, old in zip(params, saved):
                p.copy_(old)
        self.clip_gradients(opt, gradient_clip_val=2.0, gradient_clip_algorithm="norm")
        opt.step()
        sched.step()
        self.log("train_loss", first.detach(), on_step=False, on_epoch=True)

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.outputs.append((self(x).softmax(-1), y))

    def on_validation_epoch_end(self):
        prob = torch.cat([p for p, _ in self.outputs]).numpy()
        true = torch.cat([t for _, t in self.outputs]).numpy()
        self.outputs.clear()
        bal = balanced_accuracy_score(true, prob.argmax(1))
        ap = np.mean([average_precision_score(true == c, prob[:, c]) for c in range(3)])
        self.log_dict({"bal_acc": float(bal), "mean_ap": float(ap)})

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch} train {m['train_loss']:.4f} "
              f"bal acc {m['bal_acc']:.4f} map {m['mean_ap']:.4f}")

    def configure_optimizers(self):
        opt = torch.optim.SGD(self.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
        total = self.hparams.epochs * self.hparams.steps
        sched = torch.optim.lr_scheduler.LambdaLR(
            opt, lambda s: min(1.0, (s + 1) / 50) * 0.5 * (1 + math.cos(math.pi * min(1.0, s / total))))
        return [opt], [{"scheduler": sched, "interval": "step"}]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--epochs", type=int, default=20)
    args = ap.parse_args()
    torch.set_num_threads(1)
    L.seed_everything(args.seed, verbose=False)
    data = RareEvents(args.seed)
    model = SamClassifier(args.epochs, len(data.train_dataloader()))
    trainer = L.Trainer(max_epochs=args.epochs, accelerator="cpu", devices=1, logger=False,
                        enable_checkpointing=False, enable_progress_bar=False,
                        enable_model_summary=False, num_sanity_val_steps=0)
    trainer.fit(model, datamodule=data)
    m = trainer.callback_metrics
    print(f"final balanced accuracy {m['bal_acc']:.4f} mean ap {m['mean_ap']:.4f}")


if __name__ == "__main__":
    main()
