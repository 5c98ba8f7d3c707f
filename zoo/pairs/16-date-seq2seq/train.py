"""GRU encoder-decoder that rewrites written dates as ISO strings of varying precision."""
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

MONTHS = "january february march april may june july august september october november december".split()
PAD, BOS, EOS = 0, 1, 2
CHARS = "abcdefghijklmnopqrstuvwxyz0123456789 ,-/"
STOI = {c: i + 3 for i, c in enumerate(CHARS)}
VOCAB = len(CHARS) + 3
MAX_IN, MAX_OUT = 20, 24


def sample(rng):
    d, m, y = rng.randint(1, 28), rng.randint(1, 12), rng.randint(1990, 2029)
    name = MONTHS[m - 1]
    style = rng.randrange(3)
    if style == 0:
        return f"{name[:3]} {y}", f"{y}-{m:02d}"
    if style == 1:
        return f"{d} {name} {y}", f"{y}-{m:02d}-{d:02d}"
    return f"{y}", f"{y}"


def encode(s, width):
    ids = [STOI[c] for c in s] + [EOS]
    return ids + [PAD] * (width - len(ids))


def make(n, seed):
    rng = random.Random(seed)
    pairs = [sample(rng) for _ in range(n)]
    return (torch.tensor([encode(a, MAX_IN) for a, _ in pairs]), torch.tensor([encode(b, MAX_OUT) for _, b in pairs]))


class Seq2Seq(nn.Module):
    def __init__(self, dim=32, hid=80):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, dim, padding_idx=PAD)
        self.enc = nn.GRU(dim, hid, batch_first=True)
        self.dec = nn.GRU(dim, hid, batch_first=True)
        self.out = nn.Linear(hid, VOCAB)

    def encode(self, src):
        lengths = (src != PAD).sum(1)
        packed = nn.utils.rnn.pack_padded_sequence(self.emb(src), lengths, batch_first=True, enforce_sorted=False)
        return self.enc(packed)[1]

    def forward(self, src, tgt):
        inp = torch.cat([torch.full_like(tgt[:, :1], BOS), tgt[:, :-1]], dim=1)
        h, _ = self.dec(self.emb(inp), self.encode(src))
        return self.out(h)


def token_accuracy(logits, tgt):
    return (logits.argmax(-1) == tgt).float().mean().item()


def main():
    torch.manual_seed(8)
    src, tgt = make(3000, 0)
    vsrc, vtgt = make(400, 1)
    model = Seq2Seq()
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    best, since = 0.0, 0
    for epoch in range(10):
        model.train()
        for idx in torch.randperm(len(src)).split(75):
            logits = model(src[idx], tgt[idx])
            loss = F.cross_entropy(logits.flatten(0, 1), tgt[idx].flatten())
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
        model.eval()
        with torch.no_grad():
            acc = token_accuracy(model(vsrc, vtgt), vtgt)
        print(f"epoch {epoch:2d} loss {loss.item():.4f} val token acc {acc:.4f}")
        if acc > best + 0.002:
            best, since = acc, 0
        else:
            since += 1
        if best > 0.95 or since > 4:
            break
    print(f"validation token accuracy: {acc:.4f}")


if __name__ == "__main__":
    main()
