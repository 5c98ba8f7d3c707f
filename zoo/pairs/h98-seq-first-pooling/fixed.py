"""Gesture recognition from accelerometer traces, sequence-first LSTM with attention pooling over time."""
import math
from dataclasses import dataclass

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence

GESTURES = ("circle", "shake", "push", "tap_tap")


@dataclass(frozen=True)
class Cfg:
    n_train: int = 1000
    n_test: int = 300
    hidden: int = 40
    batch: int = 32
    epochs: int = 6
    lr: float = 3e-3
    seed: int = 5


def trace(kind, gen):
    n = int(torch.randint(40, 80, (1,), generator=gen))
    x = 0.35 * torch.randn(n, 3, generator=gen)
    k = int(torch.randint(14, 24, (1,), generator=gen))
    s = int(torch.randint(0, n - k, (1,), generator=gen))
    u = torch.linspace(0, 1, k)
    amp = 0.8 + 0.6 * torch.rand(1, generator=gen)
    if kind == 0:
        g = torch.stack([torch.sin(2 * math.pi * u), torch.cos(2 * math.pi * u), 0 * u], 1)
    elif kind == 1:
        g = torch.stack([torch.sin(8 * math.pi * u), 0 * u, 0 * u], 1)
    elif kind == 2:
        g = torch.stack([0 * u, torch.sin(2 * math.pi * u), 0.5 * torch.sin(2 * math.pi * u)], 1)
    else:
        g = torch.stack([0 * u, 0 * u, ((u < 0.15) | (u > 0.85)).float() * 2], 1)
    x[s:s + k] += amp * g
    return x


def dataset(n, gen):
    y = torch.randint(len(GESTURES), (n,), generator=gen)
    return [trace(int(k), gen) for k in y], y


class AttentionPool(nn.Module):
    """x: [time, batch, features], weights sum to one over time"""

    def __init__(self, d):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(d, d), nn.Tanh(), nn.Linear(d, 1))

    def forward(self, x, lengths):
        s = self.score(x).squeeze(-1)                                  # [T, B]
        steps = torch.arange(x.size(0)).unsqueeze(1)
        s = s.masked_fill(steps >= lengths.unsqueeze(0), float("-inf"))
        w = torch.softmax(s, dim=0)
        return torch.einsum("tb,tbd->bd", w, x), w


class GestureNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.lstm = nn.LSTM(3, cfg.hidden, bidirectional=True)
        self.pool = AttentionPool(2 * cfg.hidden)
        self.out = nn.Linear(2 * cfg.hidden, len(GESTURES))

    def forward(self, x, lengths):
        h, _ = self.lstm(x)
        z, w = self.pool(h, lengths)
        return self.out(z), w


def make_batch(xs, ys, idx):
    seqs = [xs[i] for i in idx]
    lengths = torch.tensor([len(s) for s in seqs])
    return pad_sequence(seqs), lengths, ys[idx]


def test_accuracy(model, xs, ys):
    model.eval()
    hits = 0
    with torch.no_grad():
        for idx in torch.arange(len(xs)).split(100):
            x, lengths, y = make_batch(xs, ys, idx)
            logits, _ = model(x, lengths)
            hits += (logits.argmax(1) == y).sum().item()
    return hits / len(xs)


def run(cfg: Cfg):
    torch.manual_seed(cfg.seed)
    gen = torch.Generator().manual_seed(cfg.seed)
    xs, ys = dataset(cfg.n_train, gen)
    xt, yt = dataset(cfg.n_test, gen)
    model = GestureNet(cfg)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    loss_fn = nn.CrossEntropyLoss()
    for epoch in range(cfg.epochs):
        model.train()
        total = 0.0
        for idx in torch.randperm(len(xs)).split(cfg.batch):
            x, lengths, y = make_batch(xs, ys, idx)
            logits, w = model(x, lengths)
            loss = loss_fn(logits, y)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            total += loss.item() * len(idx)
        print(f"epoch {epoch} loss {total / len(xs):.4f} test accuracy {test_accuracy(model, xt, yt):.4f}")
    print(f"test accuracy: {test_accuracy(model, xt, yt):.4f}")


if __name__ == "__main__":
    run(Cfg())
