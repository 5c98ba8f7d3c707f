"""Tiny decoder-only language model that learns to write strings backwards: 'abcd>dcba.'"""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

LETTERS, SIZE = 10, 5
SEP, END = LETTERS, LETTERS + 1
VOCAB = LETTERS + 2


def make_lines(n, generator):
    word = torch.randint(LETTERS, (n, SIZE), generator=generator)
    sep, end = torch.full((n, 1), SEP), torch.full((n, 1), END)
    return torch.cat([word, sep, word.flip(1), end], dim=1)


class SelfAttention(nn.Module):
    def __init__(self, dim, heads, context):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        ahead = torch.triu(torch.ones(context, context, dtype=torch.bool), diagonal=2)
        self.register_buffer("ahead", ahead, persistent=False)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        score = q @ k.transpose(-2, -1) / (d // self.heads) ** 0.5
        score = score.masked_fill(self.ahead[:t, :t], float("-inf"))
        return self.proj((score.softmax(-1) @ v).transpose(1, 2).reshape(b, t, d))


class Block(nn.Module):
    def __init__(self, dim, heads, context):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attention = SelfAttention(dim, heads, context)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class Decoder(nn.Module):
    def __init__(self, dim, depth, heads):
        super().__init__()
        context = 2 * SIZE + 2
        self.token = nn.Embedding(VOCAB, dim)
        self.position = nn.Parameter(torch.randn(context, dim) * 0.02)
        self.blocks = nn.Sequential(*[Block(dim, heads, context) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim)
        self.out = nn.Linear(dim, VOCAB)

    def forward(self, ids):
        x = self.token(ids) + self.position[: ids.shape[1]]
        return self.out(self.norm(self.blocks(x)))

    @torch.no_grad()
    def generate(self, ids, n):
        for _ in range(n):
            ids = torch.cat([ids, self(ids)[:, -1].argmax(-1, keepdim=True)], dim=1)
        return ids


def answer_loss(model, lines):
    """Next-token loss on everything after the separator."""
    logits = model(lines[:, :-1])[:, SIZE:]
    return F.cross_entropy(logits.reshape(-1, VOCAB), lines[:, SIZE + 1 :].reshape(-1))


def validate(model, lines):
    model.eval()
    with torch.no_grad():
        loss = answer_loss(model, lines).item()
    written = model.generate(lines[:, : SIZE + 1], SIZE + 1)
    return loss, (written == lines).all(1).float().mean().item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=900)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--dim", type=int, default=48)
    p.add_argument("--depth", type=int, default=2)
    p.add_argument("--heads", type=int, default=4)
    p.add_argument("--seed", type=int, default=6)
    args = p.parse_args()
    torch.manual_seed(args.seed)
    generator = torch.Generator().manual_seed(args.seed)
    held_out = make_lines(300, torch.Generator().manual_seed(999))
    model = Decoder(args.dim, args.depth, args.heads)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.01)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, args.lr, total_steps=args.steps)
    for step in range(1, args.steps + 1):
        model.train()
        loss = answer_loss(model, make_lines(args.batch, generator))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        if step % 100 == 0:
            val, exact = validate(model, held_out)
            print(f"step {step} loss {loss.item():.4f} val loss {val:.4f} written exactly {exact:.3f}")
    print(f"final written exactly {exact:.4f}")


if __name__ == "__main__":
    main()
