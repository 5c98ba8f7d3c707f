"""A small decoder-only transformer trained on a synthetic arithmetic corpus ('17+25=42;')."""
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Config:
    dim: int = 64
    heads: int = 4
    depth: int = 3
    modulus: int = 40
    batch: int = 96
    steps: int = 900
    lr: float = 3e-3
    seed: int = 0


CHARS = "0123456789+=;"
STOI = {c: i for i, c in enumerate(CHARS)}


def make_line(a, b, modulus):
    return f"{a:02d}+{b:02d}={(a + b) % modulus:02d};"


def encode(s):
    return [STOI[c] for c in s]


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).reshape(b, t, d))
        return x + self.mlp(self.norm2(x))


class TinyLM(nn.Module):
    def __init__(self, cfg, vocab, max_len):
        super().__init__()
        self.tok = nn.Embedding(vocab, cfg.dim)
        self.pos = nn.Parameter(torch.randn(max_len, cfg.dim) * 0.02)
        self.blocks = nn.ModuleList([Block(cfg.dim, cfg.heads) for _ in range(cfg.depth)])
        self.norm = nn.LayerNorm(cfg.dim)
        self.head = nn.Linear(cfg.dim, vocab)

    def forward(self, idx):
        x = self.tok(idx) + self.pos[: idx.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


@torch.no_grad()
def answer_accuracy(model, lines):
    """Greedy decoding of the two digits after '='."""
    model.eval()
    ctx = lines[:, :6]
    for _ in range(2):
        ctx = torch.cat([ctx, model(ctx)[:, -1:].argmax(-1)], dim=1)
    model.train()
    return (ctx[:, 6:8] == lines[:, 6:8]).all(1).float().mean().item()


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    pairs = [(a, b) for a in range(cfg.modulus) for b in range(cfg.modulus)]
    rng.shuffle(pairs)
    data = torch.tensor([encode(make_line(a, b, cfg.modulus)) for a, b in pairs])
    n_val = len(data) // 6
    val, train = data[:n_val], data[n_val:]

    model = TinyLM(cfg, len(CHARS), data.shape[1])
    decay = [p for p in model.parameters() if p.dim() >= 2]
    rest = [p for p in model.parameters() if p.dim() < 2]
    opt = torch.optim.AdamW([{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}],
                            lr=cfg.lr, betas=(0.9, 0.98))
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, cfg.lr, total_steps=cfg.steps, pct_start=0.1)

    for step in range(1, cfg.steps + 1):
        batch = train[torch.randint(0, len(train), (cfg.batch,))]
        logits = model(batch[:, :-1])
        loss = F.cross_entropy(logits.reshape(-1, len(CHARS)), batch[:, 1:].reshape(-1))
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        if step % 100 == 0:
            print(f"step {step:4d} loss {loss.item():.4f} train acc {answer_accuracy(model, train[:300]):.3f} "
                  f"val acc {answer_accuracy(model, val):.3f}")

    print(f"final val answer accuracy {answer_accuracy(model, val):.4f}")


if __name__ == "__main__":
    main()
