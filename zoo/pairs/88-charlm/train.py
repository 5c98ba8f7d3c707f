"""Character-level GPT on generated ledger-like text. Causal transformer written from scratch."""
import argparse
import math
import random

import torch
import torch.nn as nn
import torch.nn.functional as F


def make_text(n_lines, seed):
    rnd = random.Random(seed)
    names = ["ann", "bob", "cleo", "dirk", "elif"]
    verbs = {"ann": "sells", "bob": "buys", "cleo": "finds", "dirk": "loses", "elif": "paints"}
    out = []
    for _ in range(n_lines):
        who, k = rnd.choice(names), rnd.randint(1, 9)
        thing = rnd.choice(["kite", "lamp", "drum"])
        out.append(f"{who} {verbs[who]} {k} {thing}{'s' if k > 1 else ''}, {(k * 2) % 10} left.\n")
    return "".join(out)


class CausalSelfAttention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (t.view(B, T, self.heads, -1).transpose(1, 2) for t in self.qkv(x).split(C, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.proj(y.transpose(1, 2).reshape(B, T, C))


class Layer(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.ln1, self.att = nn.LayerNorm(d), CausalSelfAttention(d, heads)
        self.ln2, self.mlp = nn.LayerNorm(d), nn.Sequential(nn.Linear(d, 3 * d), nn.GELU(), nn.Linear(3 * d, d))

    def forward(self, x):
        x = x + self.att(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class CharLM(nn.Module):
    def __init__(self, vocab, block, d=48, heads=4, layers=2):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, d), nn.Embedding(block, d)
        self.layers = nn.Sequential(*[Layer(d, heads) for _ in range(layers)])
        self.ln, self.out = nn.LayerNorm(d), nn.Linear(d, vocab, bias=False)
        self.apply(self._init)

    def _init(self, m):
        if isinstance(m, (nn.Linear, nn.Embedding)):
            nn.init.normal_(m.weight, std=0.05)
        if isinstance(m, nn.Linear) and m.bias is not None:
            nn.init.zeros_(m.bias)

    def forward(self, idx, targets):
        h = self.tok(idx) + self.pos.weight[:idx.shape[1]]
        logits = self.out(self.ln(self.layers(h)))
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def lr_at(step, args, total):
    """Linear warm-up, then cosine down to a tenth."""
    if step < args.warmup:
        return args.lr * (step + 1) / args.warmup
    t = (step - args.warmup) / (total - args.warmup)
    return args.lr * (0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * t)))


def get_batch(data, block, bs):
    i = torch.randint(len(data) - block - 1, (bs,))
    rows = i[:, None] + torch.arange(block)
    return data[rows], data[rows + 1]


@torch.no_grad()
def evaluate(model, data, block):
    model.eval()
    n = (len(data) - 1) // block
    x = data[:n * block].view(n, block)
    y = data[1:n * block + 1].view(n, block)
    return model(x, y).item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--lr", type=float, default=4e-3)
    p.add_argument("--warmup", type=int, default=30)
    p.add_argument("--block", type=int, default=32)
    p.add_argument("--batch", type=int, default=32)
    p.add_argument("--epochs", type=int, default=10)
    p.add_argument("--steps-per-epoch", type=int, default=40)
    p.add_argument("--seed", type=int, default=0)
    args = p.parse_args()
    torch.manual_seed(args.seed)

    text = make_text(3000, args.seed)
    stoi = {c: i for i, c in enumerate(sorted(set(text)))}
    data = torch.tensor([stoi[c] for c in text])
    cut = int(0.9 * len(data))
    train, val = data[:cut], data[cut:]

    model = CharLM(len(stoi), args.block)
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, betas=(0.9, 0.95), weight_decay=0.01)
    total = args.epochs * args.steps_per_epoch
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: lr_at(s, args, total))
    for epoch in range(args.epochs):
        model.train()
        acc = 0.0
        for _ in range(args.steps_per_epoch):
            loss = model(*get_batch(train, args.block, args.batch))
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            sched.step()
            acc += loss.item()
        print(f"epoch {epoch + 1:2d}  train {acc / args.steps_per_epoch:.4f}  val {evaluate(model, val, args.block):.4f}")
    print(f"final val loss {evaluate(model, val, args.block):.4f} nats/char")


if __name__ == "__main__":
    main()
