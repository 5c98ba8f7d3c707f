"""Tiny character-level transformer language model."""
import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F

SUBJ = "the cat|a dog|my friend|the old man|every child|our teacher|the queen|a sailor".split("|")
VERB = "sees|likes|follows|paints|remembers|avoids|describes|hears".split("|")
OBJ = "the river|a red house|the moon|some bread|a quiet song|the garden|an open door|the sea".split("|")
TAIL = "in the morning|at night|with great care|without a word|before dinner|again and again".split("|")


def make_text(n, seed):
    g = torch.Generator().manual_seed(seed)
    pick = lambda xs: xs[int(torch.randint(len(xs), (1,), generator=g))]
    return " ".join(f"{pick(SUBJ)} {pick(VERB)} {pick(OBJ)} {pick(TAIL)}." for _ in range(n))


@dataclass
class Config:
    block: int = 48
    dim: int = 64
    heads: int = 4
    layers: int = 2
    batch: int = 24
    steps: int = 450
    lr: float = 2e-3


class Attention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.h = cfg.heads
        self.qkv = nn.Linear(cfg.dim, 3 * cfg.dim)
        self.proj = nn.Linear(cfg.dim, cfg.dim)
        self.register_buffer("mask", torch.tril(torch.ones(cfg.block, cfg.block)))

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (t.view(B, T, self.h, C // self.h).transpose(1, 2) for t in self.qkv(x).chunk(3, dim=-1))
        att = q @ k.transpose(-2, -1) / math.sqrt(C // self.h)
        att = att.masked_fill(self.mask[:T, :T] == 0, float("-inf"))
        out = att.softmax(dim=-1) @ v
        return self.proj(out.transpose(1, 2).reshape(B, T, C))


class Block(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(cfg.dim), nn.LayerNorm(cfg.dim)
        self.att = Attention(cfg)
        self.mlp = nn.Sequential(nn.Linear(cfg.dim, 4 * cfg.dim), nn.GELU(), nn.Linear(4 * cfg.dim, cfg.dim))

    def forward(self, x):
        x = x + self.att(self.n1(x))
        return x + self.mlp(self.n2(x))


class LM(nn.Module):
    def __init__(self, cfg, vocab):
        super().__init__()
        self.cfg = cfg
        self.tok = nn.Embedding(vocab, cfg.dim)
        self.pos = nn.Embedding(cfg.block, cfg.dim)
        self.blocks = nn.Sequential(*[Block(cfg) for _ in range(cfg.layers)])
        self.norm = nn.LayerNorm(cfg.dim)
        self.head = nn.Linear(cfg.dim, vocab)

    def forward(self, idx):
        x = self.tok(idx) + self.pos(torch.arange(idx.shape[1]))
        return self.head(self.norm(self.blocks(x)))

    @torch.no_grad()
    def complete(self, idx, n):
        for _ in range(n):
            logits = self(idx[:, -self.cfg.block:])[:, -1]
            idx = torch.cat([idx, torch.multinomial(logits.softmax(-1), 1)], dim=1)
        return idx


def batches(data, cfg):
    i = torch.randint(len(data) - cfg.block - 1, (cfg.batch,))
    x = torch.stack([data[j:j + cfg.block] for j in i])
    y = torch.stack([data[j + 1:j + cfg.block + 1] for j in i])
    return x, y


def loss_of(model, x, y):
    return F.cross_entropy(model(x).flatten(0, 1), y.flatten())


def main():
    torch.manual_seed(1337)
    cfg = Config()
    train_text, val_text = make_text(2500, 1), make_text(300, 2)
    chars = sorted(set(train_text))
    stoi = {c: i for i, c in enumerate(chars)}
    enc = lambda s: torch.tensor([stoi[c] for c in s])
    train, val = enc(train_text), enc(val_text)
    model = LM(cfg, len(chars))
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    for step in range(cfg.steps):
        loss = loss_of(model, *batches(train, cfg))
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        if step % 75 == 0:
            print(f"step {step:4d}  train loss {loss.item():.3f}")
    model.eval()
    with torch.no_grad():
        vl = sum(loss_of(model, *batches(val, cfg)).item() for _ in range(20)) / 20
    print(f"validation loss {vl:.3f} nats/char, perplexity {math.exp(vl):.2f}")
    sample = model.complete(enc("the cat ")[None], 160)[0]
    print("sample:", "".join(chars[i] for i in sample))
    lexicon = set(train_text.replace(".", "").split())
    words = "".join(chars[i] for i in sample).replace(".", "").split()
    print(f"words of the sample in the lexicon: {sum(w in lexicon for w in words) / len(words):.2f}")


if __name__ == "__main__":
    main()
