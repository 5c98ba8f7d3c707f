"""nano char-level LM with rotary embeddings, trained on the Python manual that ships with pydoc."""
import math
import time
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from pydoc_data.topics import topics


@dataclass
class Config:
    block_size: int = 48
    n_layer: int = 2
    n_head: int = 4
    n_embd: int = 48
    batch_size: int = 16
    lr: float = 4e-3
    warmup: int = 50
    max_iters: int = 600
    eval_every: int = 150
    eval_iters: int = 25
    seed: int = 1337


cfg = Config()
torch.manual_seed(cfg.seed)

text = "\n".join(topics[k] for k in sorted(topics)).lower().encode("ascii", "ignore").decode()
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text])
# hold out every tenth 400-character block
blocks = data[: len(data) // 400 * 400].view(-1, 400)
is_val = torch.arange(len(blocks)) % 10 == 5
splits = {"train": blocks[~is_val], "val": blocks[is_val]}
print(f"{len(text)} characters, vocabulary {len(chars)}")


def get_batch(split, gen=None):
    src = splits[split]
    row = torch.randint(len(src), (cfg.batch_size,), generator=gen)
    col = torch.randint(400 - cfg.block_size - 1, (cfg.batch_size,), generator=gen)
    ix = col[:, None] + torch.arange(cfg.block_size + 1)
    chunk = src[row[:, None], ix]
    return chunk[:, :-1], chunk[:, 1:]


def rope_tables(dim, max_len, base=10000.0):
    inv = 1.0 / (base ** (torch.arange(0, dim, 2).float() / dim))
    ang = torch.outer(torch.arange(max_len).float(), inv)
    return ang.cos(), ang.sin()


def apply_rope(x, cos, sin):
    L = x.size(1)
    c, s = cos[:L][None, :, None, :], sin[:L][None, :, None, :]
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat([x1 * c - x2 * s, x1 * s + x2 * c], dim=-1)


class Attention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.h, self.hd = cfg.n_head, cfg.n_embd // cfg.n_head
        self.qkv = nn.Linear(cfg.n_embd, 3 * cfg.n_embd, bias=False)
        self.proj = nn.Linear(cfg.n_embd, cfg.n_embd, bias=False)
        cos, sin = rope_tables(self.hd, cfg.block_size)
        self.register_buffer("cos", cos)
        self.register_buffer("sin", sin)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.h, self.hd).unbind(2)
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        q = apply_rope(q, self.cos, self.sin)
        k = apply_rope(k, self.cos, self.sin)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.proj(y.transpose(1, 2).reshape(B, T, C))


class Block(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(cfg.n_embd), nn.LayerNorm(cfg.n_embd)
        self.attn = Attention(cfg)
        self.mlp = nn.Sequential(nn.Linear(cfg.n_embd, 4 * cfg.n_embd), nn.GELU(), nn.Linear(4 * cfg.n_embd, cfg.n_embd))

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class CharLM(nn.Module):
    def __init__(self, vocab, cfg):
        super().__init__()
        self.tok = nn.Embedding(vocab, cfg.n_embd)
        self.blocks = nn.Sequential(*[Block(cfg) for _ in range(cfg.n_layer)])
        self.ln = nn.LayerNorm(cfg.n_embd)
        self.head = nn.Linear(cfg.n_embd, vocab, bias=False)
        self.apply(self._init)

    def _init(self, m):
        if isinstance(m, (nn.Linear, nn.Embedding)):
            nn.init.normal_(m.weight, std=0.05)

    def forward(self, idx, targets=None):
        logits = self.head(self.ln(self.blocks(self.tok(idx))))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())


@torch.no_grad()
def estimate_loss(model):
    model.eval()
    out = {}
    for split in splits:
        g = torch.Generator().manual_seed(0)
        out[split] = sum(model(*get_batch(split, g))[1].item() for _ in range(cfg.eval_iters)) / cfg.eval_iters
    model.train()
    return out


def lr_at(it):
    if it < cfg.warmup:
        return (it + 1) / cfg.warmup
    p = (it - cfg.warmup) / (cfg.max_iters - cfg.warmup)
    return 0.1 + 0.45 * (1 + math.cos(math.pi * p))


model = CharLM(len(chars), cfg)
opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr, betas=(0.9, 0.99), weight_decay=0.05)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lr_at)
t0 = time.time()
for it in range(1, cfg.max_iters + 1):
    _, loss = model(*get_batch("train"))
    opt.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    sched.step()
    if it % cfg.eval_every == 0:
        l = estimate_loss(model)
        print(f"iter {it:4d} train {l['train']:.3f} val {l['val']:.3f} ({time.time() - t0:.1f}s)")
print(f"final val bits/char {estimate_loss(model)['val'] / math.log(2):.3f}")
