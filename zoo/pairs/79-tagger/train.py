# Sequence tagging with a small bidirectional transformer written by hand.
# Synthetic "grammar": the tag of a token depends on its own type and on its neighbours.
import math
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = int(os.environ.get("SEED", 0))
VOCAB, TAGS, PAD, IGN = 40, 6, 0, -100
MAXLEN = 64


def make_corpus(n, gen):
    corpus = []
    for _ in range(n):
        L = int(torch.randint(6, 22, (1,), generator=gen))
        tok = torch.randint(1, VOCAB, (L,), generator=gen)
        prev = torch.cat([torch.zeros(1, dtype=torch.long), tok[:-1]])
        tag = (tok % 3) + 3 * ((prev % 4) >= 2).long()
        corpus.append((tok, tag))
    return corpus


def collate(items):
    L = max(len(t) for t, _ in items)
    x = torch.full((len(items), L), PAD)
    y = torch.full((len(items), L), IGN)
    for i, (t, g) in enumerate(items):
        x[i, :len(t)] = t
        y[i, :len(g)] = g
    return x, y


class Block(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.h = heads
        self.qkv = nn.Linear(d, 3 * d)
        self.proj = nn.Linear(d, d)
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.ff = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))

    def forward(self, x, mask):
        B, T, D = x.shape
        q, k, v = self.qkv(self.n1(x)).view(B, T, 3, self.h, D // self.h).permute(2, 0, 3, 1, 4)
        att = q @ k.transpose(-2, -1) / math.sqrt(D // self.h)
        att = att.masked_fill(~mask[:, None, None, :], float("-inf")).softmax(-1)
        x = x + self.proj((att @ v).transpose(1, 2).reshape(B, T, D))
        return x + self.ff(self.n2(x))


class Tagger(nn.Module):
    def __init__(self, d=64, heads=4, layers=2):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, d, padding_idx=PAD)
        self.pos = nn.Embedding(MAXLEN, d)
        self.blocks = nn.ModuleList(Block(d, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(d)
        self.out = nn.Linear(d, TAGS)

    def forward(self, x):
        mask = x != PAD
        pos_ids = (mask.long().cumsum(0) - 1).clamp(min=0)
        h = self.tok(x) + self.pos(pos_ids)
        for b in self.blocks:
            h = b(h, mask)
        return self.out(self.norm(h))


@torch.no_grad()
def token_accuracy(model, corpus, bs=64):
    model.eval()
    ok = tot = 0
    for i in range(0, len(corpus), bs):
        x, y = collate(corpus[i:i + bs])
        keep = y != IGN
        ok += (model(x).argmax(-1)[keep] == y[keep]).sum().item()
        tot += keep.sum().item()
    return ok / tot


def main():
    torch.manual_seed(SEED)
    gen = torch.Generator().manual_seed(SEED + 1)
    train, test = make_corpus(2000, gen), make_corpus(400, gen)
    model = Tagger()
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3, betas=(0.9, 0.98), weight_decay=0.01)
    epochs, bs = 12, 64
    total = epochs * math.ceil(len(train) / bs)
    sched = torch.optim.lr_scheduler.LambdaLR(
        opt, lambda s: min(1.0, (s + 1) / 30) * 0.5 * (1 + math.cos(math.pi * s / total)))
    for ep in range(epochs):
        model.train()
        perm = torch.randperm(len(train)).tolist()
        run, n = 0.0, 0
        for i in range(0, len(perm), bs):
            x, y = collate([train[j] for j in perm[i:i + bs]])
            loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten(), ignore_index=IGN)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            sched.step()
            run, n = run + loss.item(), n + 1
        print(f"epoch {ep + 1:2d}  loss {run / n:.4f}  test token acc {token_accuracy(model, test):.4f}")
    print(f"final token accuracy {token_accuracy(model, test):.4f}")


if __name__ == "__main__":
    main()
