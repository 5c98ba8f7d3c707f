"""Seq2seq reversal with a length curriculum: the loss jumps up whenever longer sequences are let in."""
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

PAD, BOS, EOS, BASE = 0, 1, 2, 3
N_SYM = 12


class Encoder(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.emb = nn.Embedding(BASE + N_SYM, d, padding_idx=PAD)
        self.gru = nn.GRU(d, d, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * d, d)

    def forward(self, src):
        h, last = self.gru(self.emb(src))
        return h, torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))


class Decoder(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.emb = nn.Embedding(BASE + N_SYM, d, padding_idx=PAD)
        self.cell = nn.GRUCell(3 * d, d)
        self.query = nn.Linear(d, 2 * d, bias=False)
        self.out = nn.Linear(3 * d, BASE + N_SYM)

    def step(self, tok, state, ctx, memory, mask):
        state = self.cell(torch.cat([self.emb(tok), ctx], dim=-1), state)
        score = torch.einsum("btd,bd->bt", memory, self.query(state)) / memory.size(-1) ** 0.5
        w = score.masked_fill(mask, -1e9).softmax(-1)
        ctx = torch.einsum("bt,btd->bd", w, memory)
        return self.out(torch.cat([state, ctx], dim=-1)), state, ctx


class Seq2Seq(nn.Module):
    def __init__(self, d=48):
        super().__init__()
        self.encoder, self.decoder = Encoder(d), Decoder(d)

    def forward(self, src, tgt, teacher=1.0):
        memory, state = self.encoder(src)
        mask = src == PAD
        ctx = memory.new_zeros(len(src), memory.size(-1))
        tok = torch.full((len(src),), BOS)
        logits = []
        for t in range(tgt.size(1)):
            o, state, ctx = self.decoder.step(tok, state, ctx, memory, mask)
            logits.append(o)
            tok = tgt[:, t] if random.random() < teacher else o.argmax(-1)
        return torch.stack(logits, dim=1)


def batch(n, max_len):
    """only equal lengths inside a batch: no padding is needed, the mask is all False"""
    k = random.randint(2, max_len)
    src = torch.randint(BASE, BASE + N_SYM, (n, k))
    tgt = torch.cat([src.flip(1), torch.full((n, 1), EOS)], dim=1)
    return src, tgt


@torch.no_grad()
def exact(model, n, length):
    model.eval()
    src = torch.randint(BASE, BASE + N_SYM, (n, length))
    tgt = torch.cat([src.flip(1), torch.full((n, 1), EOS)], dim=1)
    pred = model(src, tgt, teacher=0.0).argmax(-1)
    return (pred == tgt).all(1).float().mean().item()


def main():
    torch.manual_seed(2)
    random.seed(2)
    model = Seq2Seq()
    opt = torch.optim.Adam(model.parameters(), lr=4e-3)
    sched = torch.optim.lr_scheduler.MultiStepLR(opt, [600], gamma=0.25)
    stages = [(0, 3), (120, 5), (250, 7), (420, 9)]
    max_len, recent = 2, []
    for step in range(750):
        for start, length in stages:
            if step == start:
                max_len = length
                print(f"step {step}: lengths up to {length}")
        model.train()
        src, tgt = batch(64, max_len)
        logits = model(src, tgt, teacher=0.9)
        loss = F.cross_entropy(logits.flatten(0, 1), tgt.flatten(), ignore_index=PAD)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        recent.append(loss.item())
        if step % 75 == 74:
            print(f"step {step} loss {sum(recent) / len(recent):.4f} exact@5 {exact(model, 200, 5):.3f} exact@9 {exact(model, 200, 9):.3f}")
            recent.clear()
    print(f"exact match at length 9: {exact(model, 500, 9):.4f}")


if __name__ == "__main__":
    main()
