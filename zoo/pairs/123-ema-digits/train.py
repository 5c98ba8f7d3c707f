"""Digits classifier under bf16 autocast, evaluated with an averaged copy of the weights."""
import copy

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn


class WeightAverage:
    def __init__(self, model, decay, dtype):
        self.decay = decay
        self.module = copy.deepcopy(model).to(dtype).eval().requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        for avg, cur in zip(self.module.parameters(), model.parameters()):
            avg.lerp_(cur.to(avg.dtype), 1 - self.decay)


def network():
    return nn.Sequential(
        nn.Unflatten(1, (1, 8, 8)),
        nn.Conv2d(1, 16, 3, padding=1), nn.GELU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.GELU(), nn.Flatten(),
        nn.LayerNorm(32 * 16), nn.Linear(32 * 16, 64), nn.GELU(), nn.Linear(64, 10),
    )


@torch.no_grad()
def accuracy(model, x, y):
    dtype = next(model.parameters()).dtype
    return (model(x.to(dtype)).argmax(1) == y).float().mean().item()


def main():
    torch.manual_seed(0)
    x, y = load_digits(return_X_y=True)
    x = torch.tensor(x / 8.0 - 1.0, dtype=torch.float32)
    y = torch.tensor(y)
    xtr, xte, ytr, yte = train_test_split(x, y, test_size=0.3, random_state=0, stratify=y)

    model = network()
    average = WeightAverage(model, decay=0.995, dtype=torch.bfloat16)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.02)
    step = 0
    for epoch in range(25):
        for idx in torch.randperm(len(xtr)).split(48):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits = model(xtr[idx] + 0.1 * torch.randn_like(xtr[idx]))
            loss = F.cross_entropy(logits.float(), ytr[idx])
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            average.update(model)
            step += 1
        if epoch % 4 == 0:
            print(f"epoch {epoch:2d} step {step} loss {loss.item():.4f}")
    print(f"held-out accuracy, averaged weights: {accuracy(average.module, xte, yte):.3f}")


if __name__ == "__main__":
    main()
