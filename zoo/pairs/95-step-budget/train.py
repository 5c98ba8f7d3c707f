"""Tabular classifier with a fixed step budget, EMA-smoothed loss logging and periodic evaluation."""
from dataclasses import dataclass

import torch
from accelerate import Accelerator, DataLoaderConfiguration
from accelerate.utils import set_seed
from sklearn.datasets import make_classification
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from transformers import get_cosine_schedule_with_warmup


@dataclass
class Config:
    max_steps: int = 800
    eval_every: int = 100
    batch_size: int = 64
    lr: float = 2e-3
    weight_decay: float = 1e-2
    warmup: int = 40
    grad_clip: float = 1.0
    seed: int = 17


def load(cfg):
    x, y = make_classification(n_samples=6000, n_features=24, n_informative=12, n_redundant=4, n_classes=5,
                               n_clusters_per_class=2, class_sep=1.6, flip_y=0.01, random_state=cfg.seed)
    x_train, x_val, y_train, y_val = train_test_split(x, y, test_size=0.2, stratify=y, random_state=0)
    scaler = StandardScaler().fit(x_train)

    def dataset(a, b):
        return TensorDataset(torch.as_tensor(scaler.transform(a), dtype=torch.float32), torch.as_tensor(b))

    train_loader = DataLoader(dataset(x_train, y_train), batch_size=cfg.batch_size, shuffle=True, drop_last=True)
    val_loader = DataLoader(dataset(x_val, y_val), batch_size=400)
    return train_loader, val_loader


class TabNet(nn.Module):
    def __init__(self, n_in=24, width=128, n_out=5, p=0.1):
        super().__init__()
        self.stem = nn.Linear(n_in, width)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU(), nn.Dropout(p))
            for _ in range(2))
        self.out = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, n_out))

    def forward(self, x):
        h = self.stem(x)
        for block in self.blocks:
            h = h + block(h)
        return self.out(h)


@torch.no_grad()
def validate(accelerator, model, loader):
    model.eval()
    preds, targets = [], []
    for x, y in loader:
        p, t = accelerator.gather_for_metrics((model(x).argmax(-1), y))
        preds.append(p)
        targets.append(t)
    model.train()
    return balanced_accuracy_score(torch.cat(targets).numpy(), torch.cat(preds).numpy())


def main():
    cfg = Config()
    set_seed(cfg.seed)
    accelerator = Accelerator(cpu=True, dataloader_config=DataLoaderConfiguration(use_seedable_sampler=True))
    train_loader, val_loader = load(cfg)
    model = TabNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)
    scheduler = get_cosine_schedule_with_warmup(optimizer, cfg.warmup, cfg.max_steps)
    model, optimizer, train_loader, val_loader, scheduler = accelerator.prepare(
        model, optimizer, train_loader, val_loader, scheduler)

    model.train()
    smooth = None
    for step in range(1, cfg.max_steps + 1):
        x, y = next(iter(train_loader))
        loss = nn.functional.cross_entropy(model(x), y)
        accelerator.backward(loss)
        accelerator.clip_grad_norm_(model.parameters(), cfg.grad_clip)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()

        smooth = loss.item() if smooth is None else 0.95 * smooth + 0.05 * loss.item()
        if step % cfg.eval_every == 0:
            score = validate(accelerator, model, val_loader)
            accelerator.print(f"step {step:4d} loss {smooth:.4f} lr {scheduler.get_last_lr()[0]:.2e} "
                              f"val balanced acc {score:.4f}")

    accelerator.print(f"final balanced accuracy: {validate(accelerator, model, val_loader):.4f}")


if __name__ == "__main__":
    main()
