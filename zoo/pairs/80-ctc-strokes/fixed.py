"""CTC recogniser on synthetic pen strokes: each symbol is a noisy template of variable length."""
import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

BLANK = 0


class StrokeData:
    def __init__(self, n, n_symbols, dim, templates, rng, noise=0.75):
        self.items = []
        for _ in range(n):
            L = rng.integers(3, 7)
            label = rng.integers(1, n_symbols + 1, L)
            frames = []
            for s in label:
                k = rng.integers(3, 6)
                base = templates[s - 1]
                pos = np.linspace(0, len(base) - 1, k).round().astype(int)
                frames.append(base[pos])
                frames.append(np.zeros((rng.integers(0, 3), dim)))
            x = np.concatenate(frames)
            x = x + noise * rng.standard_normal(x.shape)
            self.items.append((torch.tensor(x, dtype=torch.float32), torch.tensor(label)))

    def batches(self, size, shuffle=True):
        order = np.random.permutation(len(self.items)) if shuffle else np.arange(len(self.items))
        for i in range(0, len(order), size):
            xs, ys = zip(*[self.items[j] for j in order[i:i + size]])
            x_len = torch.tensor([len(x) for x in xs])
            y_len = torch.tensor([len(y) for y in ys])
            yield nn.utils.rnn.pad_sequence(xs, batch_first=True), torch.cat(ys), x_len, y_len


class Recogniser(nn.Module):
    def __init__(self, dim, n_symbols, hidden=48):
        super().__init__()
        self.conv = nn.Conv1d(dim, hidden, 3, padding=1)
        self.rnn = nn.GRU(hidden, hidden, bidirectional=True)
        self.head = nn.Linear(2 * hidden, n_symbols + 1)

    def forward(self, x):
        h = F.relu(self.conv(x.transpose(1, 2)))          # (N, C, T)
        h, _ = self.rnn(h.permute(2, 0, 1))               # (T, N, 2C)
        return F.log_softmax(self.head(h), dim=2)


def edit_distance(a, b):
    d = list(range(len(b) + 1))
    for i, ca in enumerate(a, 1):
        prev, d[0] = d[0], i
        for j, cb in enumerate(b, 1):
            prev, d[j] = d[j], min(d[j] + 1, d[j - 1] + 1, prev + (ca != cb))
    return d[-1]


def greedy(path):
    out, last = [], BLANK
    for p in path:
        if p != last and p != BLANK:
            out.append(p)
        last = p
    return out


@torch.no_grad()
def symbol_error_rate(model, data):
    model.eval()
    err = tot = 0
    for x, y, xl, yl in data.batches(64, shuffle=False):
        best = model(x).argmax(-1)
        refs = torch.split(y, yl.tolist())
        for i, ref in enumerate(refs):
            hyp = greedy(best[:xl[i], i].tolist())
            err += edit_distance(hyp, ref.tolist())
            tot += len(ref)
    return err / tot


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=12)
    ap.add_argument("--symbols", type=int, default=8)
    ap.add_argument("--dim", type=int, default=6)
    ap.add_argument("--seed", type=int, default=0)
    a = ap.parse_args()
    torch.manual_seed(a.seed)
    np.random.seed(a.seed)
    rng = np.random.default_rng(a.seed)
    templates = rng.standard_normal((a.symbols, 5, a.dim)) * 1.3
    train = StrokeData(800, a.symbols, a.dim, templates, rng)
    test = StrokeData(200, a.symbols, a.dim, templates, rng)

    model = Recogniser(a.dim, a.symbols)
    opt = torch.optim.Adam(model.parameters(), lr=4e-3)
    for ep in range(1, a.epochs + 1):
        model.train()
        tot, n = 0.0, 0
        for x, y, xl, yl in train.batches(32):
            loss = F.ctc_loss(model(x), y, xl, yl, blank=BLANK, zero_infinity=True)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            tot, n = tot + loss.item(), n + 1
        print(f"epoch {ep:2d}  ctc {tot / n:.4f}  test SER {symbol_error_rate(model, test):.4f}")
    print(f"final symbol error rate {symbol_error_rate(model, test):.4f}")


if __name__ == "__main__":
    main()
