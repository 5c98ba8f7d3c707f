"""Decoder-only character LM on generated arithmetic-and-dates text."""
import math
import random
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    block: int = 40
    batch: int = 16
    d: int = 48
    heads: int = 4
    layers: int = 2
    dropout: float = 0.05
    lr: float = 3e-3
    steps: int = 400
    warmup: int = 40
    eval_every: int = 100
    seed: int = 42


def corpus(n, rng):
    names = ["anna", "bert", "carl", "dora", "egon", "fred", "gina", "hugo"]
    verbs = ["sees", "likes", "calls", "finds", "helps"]
    out = []
    for _ in range(n):
        a, b = rng.sample(names, 2)
        v = rng.choice(verbs)
        if rng.random() < 0.5:
            out.append(f"{a} {v} {b}. so {b} knows {a}.\n")
        else:
            x, y = rng.randint(1, 9), rng.randint(1, 9)
            out.append(f"{a} has {x} and {y}, that is {x + y}.\n")
    return "".join(out)


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.h = c.heads
        self.ln1, self.ln2 = nn.LayerNorm(c.d), nn.LayerNorm(c.d)
        self.qkv = nn.Linear(c.d, 3 * c.d)
        self.proj = nn.Linear(c.d, c.d)
        self.mlp = nn.Sequential(nn.Linear(c.d, 4 * c.d), nn.GELU(), nn.Linear(4 * c.d, c.d))
        self.drop = nn.Dropout(c.dropout)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (z.view(b, t, self.h, d // self.h).transpose(1, 2) for z in self.qkv(self.ln1(x)).chunk(3, -1))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.drop(self.proj(a.transpose(1, 2).reshape(b, t, d)))
        return x + self.drop(self.mlp(self.ln2(x)))


class CharLM(nn.Module):
    def __init__(self, vocab, c):
        super().__init__()
        self.c = c
        self.tok = nn.Embedding(vocab, c.d)
        self.pos = nn.Embedding(c.block, c.d)
        self.blocks = nn.Sequential(*[Block(c) for _ in range(c.layers)])
        self.ln = nn.LayerNorm(c.d)
        self.head = nn.Linear(c.d, vocab, bias=False)
        self.apply(self._init)
        self.head.weight = self.tok.weight  # weight tying

    @staticmethod
    def _init(m):
        if isinstance(m, (nn.Linear, nn.Embedding)):
            nn.init.normal_(m.weight, std=0.02)
            if getattr(m, "bias", None) is not None:
                nn.init.zeros_(m.bias)

    def forward(self, idx, targets=None):
        x = self.tok(idx) + self.pos(torch.arange(idx.size(1)))
        logits = self.head(self.ln(self.blocks(x)))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.reshape(-1, logits.size(-1)), targets.reshape(-1))

    @torch.no_grad()
    def generate(self, idx, n):
        for _ in range(n):
            logits, _ = self(idx[:, -self.c.block:])
            nxt = torch.multinomial(F.softmax(logits[:, -1] / 0.7, dim=-1), 1)
            idx = torch.cat([idx, nxt], 1)
        return idx


def get_batch(data, c):
    ix = torch.randint(len(data) - c.block - 1, (c.batch,))
    x = torch.stack([data[i:i + c.block] for i in ix])
    y = torch.stack([data[i + 1:i + c.block + 1] for i in ix])
    return x, y


@torch.no_grad()
def estimate(model, data, c, n=6):
    model.eval()
    losses = [model(*get_batch(data, c))[1].item() for _ in range(n)]
    model.train()
    return sum(losses) / n


def lr_at(step, c):
    if step < c.warmup:
        return (step + 1) / c.warmup
    p = (step - c.warmup) / (c.steps - c.warmup)
    return 0.1 + 0.45 * (1 + math.cos(math.pi * p))


if __name__ == "__main__":
    c = Config()
    torch.manual_seed(c.seed)
    rng = random.Random(c.seed)
    train_text, val_text = corpus(4000, rng), corpus(400, rng)
    chars = sorted(set(train_text))
    stoi = {ch: i for i, ch in enumerate(chars)}
    enc = lambda s: torch.tensor([stoi[ch] for ch in s])
    train, val = enc(train_text), enc(val_text)

    model = CharLM(len(chars), c)
    print("params", sum(p.numel() for p in model.parameters()), "vocab", len(chars))
    decay = [p for p in model.parameters() if p.dim() >= 2]
    no_decay = [p for p in model.parameters() if p.dim() < 2]
    opt = torch.optim.AdamW([{"params": decay, "weight_decay": 0.1}, {"params": no_decay, "weight_decay": 0.0}],
                            lr=c.lr, betas=(0.9, 0.95))
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: lr_at(s, c))
    model.train()
    for step in range(1, c.steps + 1):
        x, y = get_batch(train, c)
        _, loss = model(x, y)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        if step % c.eval_every == 0:
            print(f"step {step} train {estimate(model, train, c):.4f} val {estimate(model, val, c):.4f}")
    model.eval()
    out = model.generate(enc("anna ")[None], 90)[0].tolist()
    print("".join(chars[i] for i in out))
    print(f"final val nats/char {estimate(model, val, c, 30):.4f} (uniform {math.log(len(chars)):.2f})")
