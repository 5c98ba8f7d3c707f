#!/usr/bin/env python
"""Sleep staging from wrist-sensor symbols: BiLSTM tagger with label smoothing."""
import argparse
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

STAGES = ["wake", "light", "deep", "rem", "move", "off"]
N_SYMBOLS = 24
PAD_TAG = -100


class Night:
    """Hidden sleep stages and the quantised wrist-sensor symbols they emit."""

    def __init__(self):
        rng = np.random.default_rng(2024)
        k = len(STAGES)
        self.emit = rng.dirichlet(np.full(N_SYMBOLS, 0.5), size=k)
        pref = np.array([0.12, 0.55, 0.16, 0.09, 0.05, 0.03])
        self.trans = 0.75 * np.eye(k) + 0.25 * pref
        self.start = pref

    def sample(self, rng):
        n = rng.integers(15, 40)
        s = rng.choice(len(STAGES), p=self.start)
        out = []
        for _ in range(n):
            out.append((int(rng.choice(N_SYMBOLS, p=self.emit[s])) + 1, int(s)))
            s = rng.choice(len(STAGES), p=self.trans[s])
        return out


class Nights(Dataset):
    def __init__(self, n, seed):
        rng, night = np.random.default_rng(seed), Night()
        self.rows = [night.sample(rng) for _ in range(n)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = self.rows[i]
        return torch.tensor([w for w, _ in row]), torch.tensor([t for _, t in row])


def collate(batch):
    xs, ys = zip(*batch)
    return pad_sequence(xs, batch_first=True), pad_sequence(ys, batch_first=True, padding_value=PAD_TAG)


class LabelSmoothingLoss(nn.Module):
    def __init__(self, smoothing=0.05, ignore_index=PAD_TAG):
        super().__init__()
        self.smoothing = smoothing
        self.ignore_index = ignore_index

    def forward(self, logits, target):
        logp = logits.log_softmax(dim=1)
        keep = target != self.ignore_index
        nll = -logp.gather(-1, target.clamp(min=0).unsqueeze(-1)).squeeze(-1)
        smooth = -logp.mean(-1)
        loss = (1 - self.smoothing) * nll + self.smoothing * smooth
        return loss[keep].mean()


class Tagger(nn.Module):
    def __init__(self, dim=32, hidden=32):
        super().__init__()
        self.embed = nn.Embedding(N_SYMBOLS + 1, dim, padding_idx=0)
        self.lstm = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.drop = nn.Dropout(0.1)
        self.proj = nn.Linear(2 * hidden, len(STAGES))

    def forward(self, x):
        h, _ = self.lstm(self.drop(self.embed(x)))
        return self.proj(self.drop(h))


@dataclass
class Score:
    acc: float
    nll: float


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    hit = nll = n = 0
    for x, y in loader:
        keep = y != PAD_TAG
        logits, y = model(x)[keep], y[keep]
        hit += (logits.argmax(-1) == y).sum().item()
        nll += F.cross_entropy(logits, y, reduction="sum").item()
        n += len(y)
    model.train()
    return Score(hit / n, nll / n)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=8)
    ap.add_argument("--lr", type=float, default=3e-3)
    ap.add_argument("--batch-size", type=int, default=32)
    ap.add_argument("--seed", type=int, default=11)
    args = ap.parse_args()

    torch.manual_seed(args.seed)
    train_dl = DataLoader(Nights(1300, args.seed), args.batch_size, shuffle=True, collate_fn=collate)
    dev_dl = DataLoader(Nights(400, args.seed + 1), 100, collate_fn=collate)
    model, criterion = Tagger(), LabelSmoothingLoss()
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs * len(train_dl))

    for epoch in range(args.epochs):
        losses = []
        for x, y in train_dl:
            loss = criterion(model(x), y)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            sched.step()
            losses.append(loss.item())
        s = evaluate(model, dev_dl)
        print(f"[{epoch + 1}/{args.epochs}] loss {sum(losses) / len(losses):.3f} | dev acc {s.acc:.3f} log-loss {s.nll:.3f}")
