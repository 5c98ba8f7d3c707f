import argparse
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


class PatchEmbed(nn.Module):
    def __init__(self, img_size: int, patch: int, dim: int):
        super().__init__()
        self.patch = patch
        self.num_patches = (img_size // patch) ** 2
        self.proj = nn.Linear(patch * patch, dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, h, w = x.shape
        p = self.patch
        x = x.reshape(b, h // p, p, w // p, p).permute(0, 1, 3, 2, 4).reshape(b, -1, p * p)
        return self.proj(x)


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int):
        super().__init__()
        assert dim % heads == 0
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, n, d = x.shape
        qkv = self.qkv(x).reshape(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        att = (q @ k.transpose(-2, -1)) / math.sqrt(q.size(-1))
        y = att.softmax(dim=-1) @ v
        return self.out(y.transpose(1, 2).reshape(b, n, d))


class Block(nn.Module):
    def __init__(self, dim: int, heads: int, drop: float):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim)
        self.attn = Attention(dim, heads)
        self.norm2 = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))
        self.drop = nn.Dropout(drop)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.drop(self.attn(self.norm1(x)))
        return x + self.drop(self.mlp(self.norm2(x)))


class ViT(nn.Module):
    def __init__(self, img_size=8, patch=2, dim=32, depth=2, heads=4, num_classes=10, drop=0.05):
        super().__init__()
        self.embed = PatchEmbed(img_size, patch, dim)
        self.cls = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos = nn.Parameter(torch.zeros(1, self.embed.num_patches + 1, dim))
        self.blocks = nn.ModuleList([Block(dim, heads, drop) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, num_classes)
        nn.init.trunc_normal_(self.cls, std=0.02)
        nn.init.trunc_normal_(self.pos, std=0.2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.embed(x)
        x = torch.cat([self.cls.expand(x.size(0), -1, -1), x], dim=1) + self.pos
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)[:, 0])


def lr_lambda(total: int, warmup: int):
    def fn(step: int) -> float:
        if step < warmup:
            return (step + 1) / warmup
        progress = (step - warmup) / max(1, total - warmup)
        return 0.5 * (1 + math.cos(math.pi * progress))

    return fn


def batches(x: torch.Tensor, y: torch.Tensor, size: int):
    order = torch.randperm(len(x))
    for idx in order.split(size):
        yield x[idx], y[idx]


@torch.no_grad()
def accuracy(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> float:
    was_training = model.training
    model.eval()
    acc = (model(x).argmax(-1) == y).float().mean().item()
    model.train(was_training)
    return acc


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=12)
    ap.add_argument("--batch", type=int, default=32)
    ap.add_argument("--lr", type=float, default=3e-3)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    torch.manual_seed(args.seed)

    raw = load_digits()
    images = torch.tensor(raw.images, dtype=torch.float32) / 8.0 - 1.0
    target = torch.tensor(raw.target)
    train_idx, test_idx = train_test_split(
        range(len(target)), test_size=0.3, stratify=raw.target, random_state=args.seed
    )
    xtr, ytr, xte, yte = images[train_idx], target[train_idx], images[test_idx], target[test_idx]

    model = ViT()
    print(f"params: {sum(p.numel() for p in model.parameters()) / 1e3:.1f}k")
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, betas=(0.9, 0.98), weight_decay=0.02)
    steps = args.epochs * math.ceil(len(xtr) / args.batch)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lr_lambda(steps, steps // 10))

    model.train()
    for epoch in range(args.epochs):
        losses = []
        for xb, yb in batches(xtr, ytr, args.batch):
            loss = F.cross_entropy(model(xb), yb)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            sched.step()
            losses.append(loss.item())
        if (epoch + 1) % 2 == 0:
            print(f"epoch {epoch + 1}: loss={sum(losses) / len(losses):.3f} test_acc={accuracy(model, xte, yte):.3f}")

    print(f"=> top-1 {100 * accuracy(model, xte, yte):.2f}%")


if __name__ == "__main__":
    main()
