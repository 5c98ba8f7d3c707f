"""Sequence classifier (bracket balance) with micro-batches and accumulated gradients."""
import random
from dataclasses import dataclass, field

import torch
from torch import nn


@dataclass
class Config:
    micro_batch: int = 8
    accum_steps: int = 4
    updates: int = 260
    max_len: int = 16
    d_model: int = 32
    nhead: int = 2
    lr: float = 3e-3
    warmup: int = 30
    betas: tuple = field(default=(0.9, 0.98))
    seed: int = 13


def balanced(n_pairs, rng):
    out, depth, left = [], 0, n_pairs
    while left or depth:
        if left and (depth == 0 or rng.random() < 0.5):
            out.append("(")
            depth, left = depth + 1, left - 1
        else:
            out.append(")")
            depth -= 1
    return out


def is_balanced(seq):
    depth = 0
    for c in seq:
        depth += 1 if c == "(" else -1
        if depth < 0:
            return False
    return depth == 0


def example(cfg, rng):
    seq = balanced(rng.randint(2, cfg.max_len // 2), rng)
    if rng.random() < 0.5:
        return seq, 1
    if rng.random() < 0.5:
        # spoil one position: the count no longer matches
        i = rng.randrange(len(seq))
        seq[i] = ")" if seq[i] == "(" else "("
    else:
        # right count, wrong order
        while is_balanced(seq):
            rng.shuffle(seq)
    return seq, 0


def make_batch(cfg, n, rng):
    seqs, labels = zip(*[example(cfg, rng) for _ in range(n)])
    tokens = torch.zeros(n, cfg.max_len, dtype=torch.long)  # 0 is padding
    for row, s in enumerate(seqs):
        tokens[row, : len(s)] = torch.tensor([1 if c == "(" else 2 for c in s])
    return tokens, torch.tensor(labels, dtype=torch.float32)


class BracketClassifier(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.tok = nn.Embedding(3, cfg.d_model, padding_idx=0)
        self.pos = nn.Parameter(torch.randn(cfg.max_len, cfg.d_model) * 0.02)
        self.attn = nn.TransformerEncoderLayer(
            cfg.d_model, cfg.nhead, 2 * cfg.d_model, dropout=0.0, batch_first=True, norm_first=True
        )
        self.norm = nn.LayerNorm(cfg.d_model)
        self.out = nn.Linear(cfg.d_model, 1)

    def forward(self, tokens):
        pad = tokens == 0
        h = self.attn(self.tok(tokens) + self.pos, src_key_padding_mask=pad)
        h = self.norm(h).masked_fill(pad.unsqueeze(-1), 0.0)
        pooled = h.sum(dim=1) / (~pad).sum(dim=1, keepdim=True)
        return self.out(pooled).squeeze(-1)


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    rng = random.Random(cfg.seed)
    test_tokens, test_labels = make_batch(cfg, 1000, random.Random(cfg.seed + 1))

    model = BracketClassifier(cfg)
    loss_fn = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr, betas=cfg.betas)
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: min((s + 1) / cfg.warmup, max(0.05, 1 - s / cfg.updates))
    )

    optimizer.zero_grad()
    update, window = 0, 0.0
    micro = 0
    while update < cfg.updates:
        tokens, labels = make_batch(cfg, cfg.micro_batch, rng)
        loss = loss_fn(model(tokens), labels) / cfg.accum_steps
        loss.backward()
        window += loss.item()
        micro += 1
        if micro % cfg.accum_steps == 0:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
            update += 1
            if update % 50 == 0:
                print(f"update {update}: loss {window / 50:.4f}")
                window = 0.0

    model.eval()
    with torch.no_grad():
        accuracy = ((model(test_tokens) > 0) == test_labels.bool()).float().mean().item()
    print(f"test accuracy {accuracy:.4f}")


if __name__ == "__main__":
    main()
