"""Pretrain an MLP on digits, then adapt it with LoRA to inverted, transposed digits."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


class LoRALinear(nn.Module):
    def __init__(self, base, rank=8, alpha=16, dropout=0.0):
        super().__init__()
        self.base = base
        for p in self.base.parameters():
            p.requires_grad = False
        self.lora_a = nn.Parameter(torch.empty(rank, base.in_features))
        self.lora_b = nn.Parameter(torch.empty(base.out_features, rank))
        self.scaling = alpha / rank
        self.dropout = nn.Dropout(dropout)
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.kaiming_uniform_(self.lora_a, a=math.sqrt(5))
        nn.init.zeros_(self.lora_b)

    def forward(self, x):
        delta = F.linear(F.linear(self.dropout(x), self.lora_a), self.lora_b)
        return self.base(x) + self.scaling * delta


def inject_lora(model, rank):
    for name, child in model.named_children():
        if isinstance(child, nn.Linear):
            setattr(model, name, LoRALinear(child, rank))
        else:
            inject_lora(child, rank)
    return model


class Trainer:
    def __init__(self, model, lr, batch_size=32):
        self.model, self.batch_size = model, batch_size
        params = [p for p in model.parameters() if p.requires_grad]
        self.opt = torch.optim.AdamW(params, lr=lr, weight_decay=0.01)
        print(f"trainable parameters: {sum(p.numel() for p in params)}")

    def fit(self, X, y, Xte, yte, epochs, tag):
        for epoch in range(1, epochs + 1):
            self.model.train()
            total = 0.0
            batches = torch.randperm(len(X)).split(self.batch_size)
            for idx in batches:
                loss = F.cross_entropy(self.model(X[idx]), y[idx])
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                total += loss.item()
            print(f"[{tag}] epoch {epoch} loss {total / len(batches):.4f} acc {self.accuracy(Xte, yte):.4f}")

    @torch.no_grad()
    def accuracy(self, X, y):
        self.model.eval()
        return (self.model(X).argmax(1) == y).float().mean().item()


def main():
    torch.manual_seed(0)
    X, y = load_digits(return_X_y=True)
    X = torch.tensor(X / 16.0, dtype=torch.float32)
    y = torch.tensor(y)
    tr, te = train_test_split(range(len(X)), test_size=0.25, random_state=0, stratify=y)

    model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))
    Trainer(model, lr=1e-3).fit(X[tr], y[tr], X[te], y[te], epochs=12, tag="pretrain")

    X2 = 1.0 - X.view(-1, 8, 8).transpose(1, 2).reshape(-1, 64)
    inject_lora(model, rank=8)
    Trainer(model, lr=3e-3).fit(X2[tr], y[tr], X2[te], y[te], epochs=15, tag="lora")


if __name__ == "__main__":
    main()
