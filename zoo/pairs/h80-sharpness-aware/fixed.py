"""Sharpness-aware minimisation: two backward passes per batch, weights shifted and put back, partly without BN tracking."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset


class SAM:
    """Climb by rho along the gradient, take the gradient there, step from the original point."""

    def __init__(self, params, base, rho=0.05, **kwargs):
        self.params = list(params)
        self.base = base(self.params, **kwargs)
        self.rho = rho

    @torch.no_grad()
    def climb(self):
        norm = torch.stack([p.grad.norm() for p in self.params if p.grad is not None]).norm()
        self.saved = [p.detach().clone() for p in self.params]
        for p in self.params:
            if p.grad is not None:
                p.add_(p.grad, alpha=float(self.rho / (norm + 1e-12)))
        self.base.zero_grad()

    @torch.no_grad()
    def descend(self):
        for p, old in zip(self.params, self.saved):
            p.copy_(old)
        self.base.step()
        self.base.zero_grad()


def track_statistics(model, on):
    for m in model.modules():
        if isinstance(m, nn.modules.batchnorm._BatchNorm):
            m.momentum = 0.1 if on else 0.0


def build():
    return nn.Sequential(
        nn.Conv2d(1, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(24, 48, 3, padding=1), nn.BatchNorm2d(48), nn.ReLU(), nn.AdaptiveAvgPool2d(2),
        nn.Flatten(), nn.Linear(192, 10),
    )


@torch.no_grad()
def accuracy(model, x, y):
    model.eval()
    return (model(x).argmax(1) == y).float().mean().item()


def main():
    torch.manual_seed(0)
    x, y = load_digits(return_X_y=True)
    x = torch.tensor(x / 8.0 - 1.0, dtype=torch.float32).view(-1, 1, 8, 8)
    y = torch.tensor(y)
    x_tr, x_va, y_tr, y_va = train_test_split(x, y, test_size=0.3, random_state=0, stratify=y)
    loader = DataLoader(TensorDataset(x_tr, y_tr), 64, shuffle=True)
    model = build()
    optimizer = SAM(model.parameters(), torch.optim.SGD, rho=0.05, lr=0.05, momentum=0.9, weight_decay=5e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer.base, 18)
    for epoch in range(18):
        model.train()
        total = 0.0
        for xb, yb in loader:
            track_statistics(model, True)
            loss = F.cross_entropy(model(xb), yb, label_smoothing=0.05)
            loss.backward()
            optimizer.climb()
            track_statistics(model, False)
            F.cross_entropy(model(xb), yb, label_smoothing=0.05).backward()
            optimizer.descend()
            total += loss.item()
        schedule.step()
        print(f"epoch {epoch + 1:2d} loss {total / len(loader):.4f} val acc {accuracy(model, x_va, y_va):.4f}")
    print(f"final val acc {accuracy(model, x_va, y_va):.4f}")


if __name__ == "__main__":
    main()
