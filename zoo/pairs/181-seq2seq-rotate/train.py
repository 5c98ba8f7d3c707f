"""Encoder-decoder transformer that rotates a token sequence by an offset given as its first token."""
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

BOS = 0


@dataclass
class Config:
    symbols: int = 12
    length: int = 8
    n_train: int = 8000
    n_val: int = 500
    dim: int = 64
    heads: int = 4
    layers: int = 2
    batch_size: int = 64
    epochs: int = 8
    lr: float = 2e-3
    seed: int = 2


def make_data(cfg, n, rng):
    """Source: [offset token, s_1..s_L]; target: s rotated left by the offset (0..3)."""
    seq = rng.integers(1, cfg.symbols + 1, (n, cfg.length))
    off = rng.integers(0, 4, n)
    tgt = np.stack([np.roll(s, -o) for s, o in zip(seq, off)])
    src = np.concatenate([(cfg.symbols + 1 + off)[:, None], seq], 1)
    return TensorDataset(torch.as_tensor(src), torch.as_tensor(tgt))


class SinusoidalPosition(nn.Module):
    def __init__(self, dim, max_len=512):
        super().__init__()
        pos = torch.arange(max_len).float().unsqueeze(1)
        freq = torch.exp(torch.arange(0, dim, 2).float() * (-np.log(1000.0) / dim))
        table = torch.zeros(max_len, dim)
        table[:, 0::2] = torch.sin(pos * freq)
        table[:, 1::2] = torch.cos(pos * freq)
        self.register_buffer("table", table.unsqueeze(1))

    def forward(self, x):
        return x + self.table[: x.size(0)]


class Rotator(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        vocab = cfg.symbols + 5
        self.embed = nn.Embedding(vocab, cfg.dim)
        self.position = SinusoidalPosition(cfg.dim)
        self.core = nn.Transformer(cfg.dim, cfg.heads, cfg.layers, cfg.layers, 2 * cfg.dim,
                                   dropout=0.0, batch_first=True, norm_first=True)
        self.out = nn.Linear(cfg.dim, vocab)

    def forward(self, src, dec_in):
        mask = nn.Transformer.generate_square_subsequent_mask(dec_in.size(1))
        h = self.core(self.position(self.embed(src)), self.position(self.embed(dec_in)),
                      tgt_mask=mask, tgt_is_causal=True)
        return self.out(h)

    @torch.no_grad()
    def greedy(self, src, length):
        out = torch.full((src.size(0), 1), BOS)
        for _ in range(length):
            out = torch.cat([out, self(src, out)[:, -1:].argmax(-1)], 1)
        return out[:, 1:]


def shift_right(tgt):
    return torch.cat([torch.full((tgt.size(0), 1), BOS), tgt[:, :-1]], 1)


@torch.no_grad()
def evaluate(model, loader, length):
    model.eval()
    tok = seq = n = 0
    for src, tgt in loader:
        hit = model.greedy(src, length) == tgt
        tok += hit.float().mean(1).sum().item()
        seq += hit.all(1).sum().item()
        n += len(src)
    return tok / n, seq / n


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    train = DataLoader(make_data(cfg, cfg.n_train, rng), cfg.batch_size, shuffle=True, drop_last=True)
    val = DataLoader(make_data(cfg, cfg.n_val, rng), 100)
    model = Rotator(cfg)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr, betas=(0.9, 0.98))
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, cfg.lr, total_steps=cfg.epochs * len(train), pct_start=0.15)

    for epoch in range(cfg.epochs):
        model.train()
        total = 0.0
        for src, tgt in train:
            logits = model(src, shift_right(tgt))
            loss = F.cross_entropy(logits.flatten(0, 1), tgt.flatten())
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            sched.step()
            total += loss.item()
        tok, seq = evaluate(model, val, cfg.length)
        print(f"epoch {epoch} loss {total / len(train):.4f} val token acc {tok:.4f} sequence acc {seq:.4f}")
    tok, seq = evaluate(model, val, cfg.length)
    print(f"final val token accuracy {tok:.4f} sequence accuracy {seq:.4f}")


if __name__ == "__main__":
    main()
