"""Normalise free-form dates ("7 march 2004", "mar 7, 04" ...) to ISO format with a small GRU encoder/decoder."""
import random
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = 7
MONTHS = ["january", "february", "march", "april", "may", "june", "july",
          "august", "september", "october", "november", "december"]
PAD, SOS, EOS = 0, 1, 2
CHARS = sorted(set("abcdefghijklmnopqrstuvwxyz0123456789 ,./-"))
STOI = {c: i + 3 for i, c in enumerate(CHARS)}
VOCAB = len(STOI) + 3
OUT_LEN = 9  # yyyymmdd + EOS


def sample_pair(rng):
    y, m, d = rng.randint(1970, 2029), rng.randint(1, 12), rng.randint(1, 28)
    name = MONTHS[m - 1]
    src = rng.choice([
        f"{d} {name[:3]} {y}",
        f"{name[:3]} {d}, {y}",
        f"{d:02d}/{m:02d}/{y}",
        f"{y}.{m}.{d}",
    ])
    return src, f"{y}{m:02d}{d:02d}"


def encode(s):
    return [STOI[c] for c in s]


def make_set(n, seed):
    rng = random.Random(seed)
    pairs = [sample_pair(rng) for _ in range(n)]
    width = max(len(p[0]) for p in pairs)
    src = torch.zeros(n, width, dtype=torch.long)
    tgt = torch.zeros(n, OUT_LEN, dtype=torch.long)
    for i, (a, b) in enumerate(pairs):
        src[i, :len(a)] = torch.tensor(encode(a))
        tgt[i] = torch.tensor(encode(b) + [EOS])
    return src, tgt


class Encoder(nn.Module):
    def __init__(self, hidden=64):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, 32, padding_idx=PAD)
        self.rnn = nn.GRU(32, hidden // 2, batch_first=True, bidirectional=True)

    def forward(self, src):
        out, h = self.rnn(self.embed(src))
        return out, torch.cat([h[0], h[1]], dim=-1)


class AttnDecoder(nn.Module):
    def __init__(self, hidden=64):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, 32)
        self.cell = nn.GRUCell(32 + hidden, hidden)
        self.query = nn.Linear(hidden, hidden)
        self.out = nn.Linear(2 * hidden, VOCAB)

    def step(self, tok, h, memory, mask):
        score = torch.einsum("bh,bth->bt", self.query(h), memory)
        attn = score.masked_fill(mask, -1e9).softmax(-1)
        ctx = torch.einsum("bt,bth->bh", attn, memory)
        h = self.cell(torch.cat([self.embed(tok), ctx], -1), h)
        return self.out(torch.cat([h, ctx], -1)), h


def run_decoder(decoder, memory, h, mask, tgt=None):
    tok = torch.full((memory.size(0),), SOS)
    logits = []
    for t in range(OUT_LEN):
        step_logits, h = decoder.step(tok, h, memory, mask)
        logits.append(step_logits)
        tok = tgt[:, t] if tgt is not None else step_logits.argmax(-1)
    return torch.stack(logits, 1)


@torch.no_grad()
def exact_match(encoder, decoder, src, tgt):
    encoder.eval(), decoder.eval()
    memory, h = encoder(src)
    pred = run_decoder(decoder, memory, h, src == PAD).argmax(-1)
    encoder.train(), decoder.train()
    return (pred == tgt).all(1).float().mean().item()


def main():
    torch.manual_seed(SEED)
    src, tgt = make_set(3600, SEED)
    val_src, val_tgt = make_set(500, SEED + 1)
    encoder, decoder = Encoder(), AttnDecoder()
    enc_opt = torch.optim.Adam(encoder.parameters(), lr=3e-3)
    dec_opt = torch.optim.Adam(decoder.parameters(), lr=3e-3)

    t0 = time.time()
    for epoch in range(6):
        perm = torch.randperm(len(src))
        total = 0.0
        for idx in perm.split(64):
            x, y = src[idx], tgt[idx]
            memory, h = encoder(x)
            logits = run_decoder(decoder, memory, h, x == PAD, y)
            loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())

            enc_opt.zero_grad()
            loss.backward()
            enc_opt.step()
            dec_opt.step()
            total += loss.item() * len(idx)
        em = exact_match(encoder, decoder, val_src, val_tgt)
        print(f"epoch {epoch:2d}  loss {total / len(src):.4f}  val exact match {em:.3f}  ({time.time() - t0:.0f}s)")


if __name__ == "__main__":
    main()
