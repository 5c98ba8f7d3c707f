"""Regression on Friedman data with Accelerate: gradient accumulation, warm-up + cosine, clipping."""
import math

import torch
import torch.nn as nn
from accelerate import Accelerator
from accelerate.utils import set_seed
from sklearn.datasets import make_friedman1
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

ACCUM, EPOCHS, MICRO = 4, 15, 16


def make_loaders():
    x, y = make_friedman1(3200, noise=0.5, random_state=0)
    x_train, x_val, y_train, y_val = train_test_split(x, y, test_size=0.25, random_state=0)
    stats = {"x_mean": x_train.mean(0), "x_std": x_train.std(0), "y_mean": y_train.mean(), "y_std": y_train.std()}

    def pack(a, b):
        return TensorDataset(
            torch.tensor((a - stats["x_mean"]) / stats["x_std"], dtype=torch.float32),
            torch.tensor((b - stats["y_mean"]) / stats["y_std"], dtype=torch.float32))

    return (DataLoader(pack(x_train, y_train), batch_size=MICRO, shuffle=True),
            DataLoader(pack(x_val, y_val), batch_size=200), stats)


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(10, 96), nn.SiLU(), nn.Linear(96, 96), nn.SiLU(), nn.Linear(96, 1))

    def forward(self, x):
        return self.net(x)[:, 0]


@torch.no_grad()
def predict(accelerator, model, loader):
    model.eval()
    preds, trues = [], []
    for x, y in loader:
        p, t = accelerator.gather_for_metrics((model(x), y))
        preds.append(p)
        trues.append(t)
    return torch.cat(preds).numpy(), torch.cat(trues).numpy()


def main():
    set_seed(0)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=ACCUM)
    train_loader, val_loader, stats = make_loaders()
    model = Regressor()
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=1e-3)
    total = math.ceil(len(train_loader) / ACCUM) * EPOCHS
    warmup = total // 20
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: min(1.0, (s + 1) / warmup) * 0.5 * (1 + math.cos(math.pi * min(1.0, s / total))))
    model, optimizer, train_loader, val_loader, scheduler = accelerator.prepare(
        model, optimizer, train_loader, val_loader, scheduler)

    for epoch in range(EPOCHS):
        model.train()
        running = torch.zeros(())
        for x, y in train_loader:
            with accelerator.accumulate(model):
                loss = nn.functional.mse_loss(model(x), y)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
            running += loss.detach()
        pred, true = predict(accelerator, model, val_loader)
        accelerator.print(f"epoch {epoch:2d} train mse {running.item() / len(train_loader):.4f} "
                          f"val r2 {r2_score(true, pred):.4f} lr {optimizer.param_groups[0]['lr']:.2e}")

    pred, true = predict(accelerator, model, val_loader)
    rmse = float(((pred - true) ** 2).mean() ** 0.5) * stats["y_std"]
    accelerator.print(f"final r2 {r2_score(true, pred):.4f} rmse {rmse:.3f} (noise 0.5)")


if __name__ == "__main__":
    main()
