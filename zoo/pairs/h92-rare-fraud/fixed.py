"""Card fraud with about one and a half percent positives, LightningModule with a prior-aware output bias."""
import logging
import math
import warnings

import lightning as L
import numpy as np
import torch
from sklearn.metrics import average_precision_score, roc_auc_score
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
warnings.filterwarnings("ignore")


def transactions(n, seed):
    """Time-ordered payments; fraud is a steep function of amount, distance, night hours and merchant risk."""
    rng = np.random.default_rng(seed)
    amount = rng.lognormal(3.2, 1.0, n)
    distance = rng.exponential(12.0, n)
    hour = rng.integers(0, 24, n)
    merchant = rng.beta(1.5, 6.0, n)
    age = rng.gamma(3.0, 300.0, n)
    rest = rng.normal(size=(n, 6))
    night = ((hour < 5) | (hour > 22)).astype(float)
    score = (1.8 * (np.log(amount) - 3.2) + 1.1 * np.log1p(distance / 10) + 1.6 * night + 6.0 * merchant
             - 0.9 * np.log1p(age / 400) + 1.2 * night * (amount > 80) + 0.5 * rest[:, 0] * rest[:, 1])
    p = 1 / (1 + np.exp(-(1.7 * score - 13.6)))
    y = rng.random(n) < p
    x = np.column_stack([np.log(amount), np.log1p(distance), np.sin(hour * np.pi / 12), np.cos(hour * np.pi / 12),
                         merchant, np.log1p(age), rest])
    return x.astype(np.float32), y.astype(np.float32)


class FraudNet(L.LightningModule):
    def __init__(self, n_in, prior, lr=2e-3, pos_weight=4.0, max_epochs=8):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(n_in, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 1))
        nn.init.zeros_(self.net[-1].weight)
        nn.init.constant_(self.net[-1].bias, math.log(prior / (1 - prior)))
        self.criterion = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(pos_weight))
        self.collected = []
        self.result = {}

    def forward(self, x):
        return self.net(x).squeeze(-1)

    def training_step(self, batch, _):
        loss = self.criterion(self(batch[0]), batch[1])
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, _):
        self.collected.append((self(batch[0]).cpu(), batch[1].cpu()))

    def on_validation_epoch_end(self):
        logits, y = (torch.cat(v).numpy() for v in zip(*self.collected))
        self.collected.clear()
        self.result = {"ap": average_precision_score(y, logits), "auc": roc_auc_score(y, logits)}
        self.print(f"epoch {self.current_epoch} AP {self.result['ap']:.4f} AUC {self.result['auc']:.4f}", flush=True)

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr, weight_decay=1e-3)
        steps = self.trainer.estimated_stepping_batches
        sched = torch.optim.lr_scheduler.OneCycleLR(opt, self.hparams.lr * 2, total_steps=steps)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "step"}}


def main():
    L.seed_everything(19, verbose=False)
    x, y = transactions(52000, seed=19)
    cut = 40000
    mean, std = x[:cut].mean(0), x[:cut].std(0)
    x = (x - mean) / std
    prior = float(y[:cut].mean())
    print(f"fraud share: train {prior:.3%} test {y[cut:].mean():.3%}")
    train = TensorDataset(torch.tensor(x[:cut]), torch.tensor(y[:cut]))
    test = TensorDataset(torch.tensor(x[cut:]), torch.tensor(y[cut:]))
    model = FraudNet(x.shape[1], prior)
    trainer = L.Trainer(max_epochs=8, accelerator="cpu", logger=False, enable_checkpointing=False,
                        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0,
                        gradient_clip_val=1.0)
    loader = DataLoader(train, 256, shuffle=True, drop_last=True)
    trainer.fit(model, loader, DataLoader(test, 4000))
    print(f"average precision of a random ranking {y[cut:].mean():.4f}")
    print(f"final test average precision {model.result['ap']:.4f} AUC {model.result['auc']:.4f}")


if __name__ == "__main__":
    main()
