"""Sort-the-letters seq2seq with attention: teacher forcing, length curriculum, label smoothing, gradient accumulation, noam-like warm-up."""
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

PAD, BOS, EOS = 0, 1, 2
LETTERS = 12
V = LETTERS + 3
MAXLEN = 8


def batch(n, max_len, rng):
    src, tgt = [], []
    for _ in range(n):
        k = rng.randint(2, max_len)
        s = [rng.randint(3, V - 1) for _ in range(k)]
        src.append(torch.tensor(s + [EOS]))
        tgt.append(torch.tensor([BOS] + sorted(s) + [EOS]))
    pad = lambda z: nn.utils.rnn.pad_sequence(z, batch_first=True, padding_value=PAD)
    return pad(src), pad(tgt)


class Seq2Seq(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.emb = nn.Embedding(V, d, padding_idx=PAD)
        self.enc = nn.GRU(d, d // 2, batch_first=True, bidirectional=True)
        self.dec = nn.GRU(d, d, batch_first=True)
        self.q = nn.Linear(d, d, bias=False)
        self.out = nn.Linear(2 * d, V)

    def encode(self, src):
        mem, h = self.enc(self.emb(src))
        return mem, torch.cat([h[0], h[1]], 1).unsqueeze(0), src == PAD

    def step(self, tok, mem, h, mask):
        o, h = self.dec(self.emb(tok), h)
        att = (self.q(o) @ mem.transpose(1, 2)).masked_fill(mask.unsqueeze(1), -1e9).softmax(-1)
        return self.out(torch.cat([o, att @ mem], -1)), h

    def forward(self, src, tgt_in):
        mem, h, mask = self.encode(src)
        return self.step(tgt_in, mem, h, mask)[0]

    @torch.no_grad()
    def greedy(self, src, n):
        mem, h, mask = self.encode(src)
        tok = torch.full((len(src), 1), BOS)
        res = []
        for _ in range(n):
            logits, h = self.step(tok, mem, h, mask)
            tok = logits.argmax(-1)
            res.append(tok)
        return torch.cat(res, 1)


def exact_match(model, src, tgt):
    model.eval()
    gold = tgt[:, 1:]
    hyp = model.greedy(src, gold.size(1))
    return ((hyp == gold) | (gold == PAD)).all(1).float().mean().item()


def main():
    torch.manual_seed(0)
    rng = random.Random(0)
    dev = batch(300, MAXLEN, random.Random(1000))
    model = Seq2Seq()
    opt = torch.optim.Adam(model.parameters(), lr=4e-3, betas=(0.9, 0.98))
    UPDATES, ACCUM, WARM = 500, 2, 120
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min((s + 1) / WARM, (WARM / (s + 1)) ** 0.5))
    for up in range(1, UPDATES + 1):
        limit = min(MAXLEN, 3 + up * 10 // UPDATES)
        model.train()
        chunks = [batch(32, limit, rng) for _ in range(ACCUM)]
        n_tok = sum((t[:, 1:] != PAD).sum() for _, t in chunks)
        opt.zero_grad()
        total = 0.0
        for src, tgt in chunks:
            logits = model(src, tgt[:, :-1])
            loss = F.cross_entropy(logits.reshape(-1, V), tgt[:, 1:].reshape(-1), ignore_index=PAD,
                                   label_smoothing=0.05, reduction="sum") / n_tok
            loss.backward()
            total += loss.item()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        if up % 50 == 0:
            print(f"update {up}  max len {limit}  loss {total:.4f}  dev exact match (len <= {MAXLEN}) {exact_match(model, *dev):.3f}")
    test = batch(1000, MAXLEN, random.Random(2000))
    print(f"test exact match {exact_match(model, *test):.4f}")


if __name__ == "__main__":
    main()
