"""Seq2seq transformer: human-readable dates -> ISO dates."""
import datetime
import math
import random

import torch
import torch.nn as nn

random.seed(13)
torch.manual_seed(13)

D_MODEL, HEADS, LAYERS, FF = 64, 4, 1, 128
WARMUP, STEPS, BATCH = 300, 700, 48
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
FORMATS = ["{d} {m} {y}", "{m} {d}, {y}", "{d}/{mn}/{y}", "{m} {d} '{yy}"]
ALPHABET = sorted(set("".join(MONTHS) + "0123456789 ,/'-"))
PAD, BOS, EOS = 0, 1, 2
c2i = {c: i + 3 for i, c in enumerate(ALPHABET)}
VOCAB = len(c2i) + 3


def sample():
    d = datetime.date(1970, 1, 1) + datetime.timedelta(days=random.randrange(0, 365 * 50))
    src = random.choice(FORMATS).format(d=d.day, m=MONTHS[d.month - 1], mn=d.month, y=d.year, yy=str(d.year)[2:])
    return src, d.isoformat()


def batch(n):
    pairs = [sample() for _ in range(n)]
    src = [[c2i[c] for c in s] for s, _ in pairs]
    w = max(map(len, src))
    src = torch.tensor([s + [PAD] * (w - len(s)) for s in src])
    tgt = torch.tensor([[BOS] + [c2i[c] for c in t] + [EOS] for _, t in pairs])
    return src, tgt


class Seq2Seq(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, D_MODEL, padding_idx=PAD)
        pos = torch.arange(32).unsqueeze(1)
        div = torch.exp(torch.arange(0, D_MODEL, 2) * (-math.log(10000.0) / D_MODEL))
        pe = torch.zeros(32, D_MODEL)
        pe[:, 0::2], pe[:, 1::2] = torch.sin(pos * div), torch.cos(pos * div)
        self.register_buffer("pe", pe)
        self.tf = nn.Transformer(D_MODEL, HEADS, LAYERS, LAYERS, FF, dropout=0.0, batch_first=True, norm_first=True)
        self.out = nn.Linear(D_MODEL, VOCAB)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)

    def encode_tokens(self, ids):
        return self.emb(ids) * math.sqrt(D_MODEL) + self.pe[: ids.size(1)]

    def forward(self, src, tgt_in):
        pad = src == PAD
        causal = torch.ones(tgt_in.size(1), tgt_in.size(1), dtype=torch.bool).triu(1)
        h = self.tf(self.encode_tokens(src), self.encode_tokens(tgt_in), tgt_mask=causal,
                    src_key_padding_mask=pad, memory_key_padding_mask=pad)
        return self.out(h)


@torch.no_grad()
def exact_match(model, src, tgt):
    model.eval()
    ys = torch.full((len(src), 1), BOS)
    for _ in range(tgt.size(1) - 1):
        ys = torch.cat([ys, model(src, ys)[:, -1:].argmax(-1)], 1)
    model.train()
    return (ys == tgt).all(1).float().mean().item()


def noam(step):
    step = max(step, 1)
    return D_MODEL ** -0.5 * min(step ** -0.5, step * WARMUP ** -1.5)


model = Seq2Seq()
optimizer = torch.optim.Adam(model.parameters(), lr=1.0, betas=(0.9, 0.98), eps=1e-9)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, noam)
criterion = nn.CrossEntropyLoss(ignore_index=PAD)
val_src, val_tgt = batch(200)

avg = 0.0
for step in range(1, STEPS + 1):
    src, tgt = batch(BATCH)
    logits = model(src, tgt[:, :-1])
    loss = criterion(logits.transpose(1, 2), tgt[:, 1:])
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    scheduler.step()
    avg += loss.item()
    if step % 100 == 0:
        print(f"step {step} loss {avg / 100:.4f} exact match {exact_match(model, val_src, val_tgt):.3f}")
        avg = 0.0
