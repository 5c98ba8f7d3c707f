"""
GRU encoder-decoder that continues a damped oscillation.
Everything is laid out time-first: (T, B, F).
"""
import argparse
import random

import torch
from torch import nn


def oscillations(n, t_in, t_out):
    """Returns source (t_in, n, 1) and target (t_out, n, 1)."""
    T = t_in + t_out
    t = torch.arange(T).float().unsqueeze(1)
    freq = 0.25 + 0.35 * torch.rand(1, n)
    decay = 0.03 * torch.rand(1, n)
    phase = 6.2832 * torch.rand(1, n)
    amp = 0.7 + 0.8 * torch.rand(1, n)
    s = amp * torch.exp(-decay * t) * torch.sin(freq * t + phase)
    noisy = s + 0.05 * torch.randn_like(s)
    return noisy[:t_in].unsqueeze(-1), s[t_in:].unsqueeze(-1)


class Encoder(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.gru = nn.GRU(1, hidden)

    def forward(self, src):
        _, h = self.gru(src)
        return h


class Decoder(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.gru = nn.GRU(1, hidden)
        self.proj = nn.Linear(hidden, 1)

    def forward(self, inp, h):
        # inp: (1, B, 1)
        out, h = self.gru(inp, h)
        return inp + self.proj(out), h


class Seq2Seq(nn.Module):
    def __init__(self, hidden=40):
        super().__init__()
        self.encoder = Encoder(hidden)
        self.decoder = Decoder(hidden)

    def forward(self, src, t_out, tgt=None, tf_ratio=0.0):
        h = self.encoder(src)
        inp = src[-1:]
        outputs = []
        for t in range(t_out):
            pred, h = self.decoder(inp, h)
            outputs.append(pred)
            if tgt is not None and random.random() < tf_ratio:
                inp = tgt[t:t + 1]
            else:
                inp = pred
        return torch.cat(outputs, dim=0)


def train(args):
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    src, tgt = oscillations(1000, args.t_in, args.t_out)
    val_src, val_tgt = oscillations(200, args.t_in, args.t_out)
    print('src', tuple(src.shape), 'tgt', tuple(tgt.shape))

    model = Seq2Seq()
    loss_fn = nn.MSELoss()
    optim = torch.optim.Adam(model.parameters(), lr=args.lr)
    lr_sched = torch.optim.lr_scheduler.ExponentialLR(optim, 0.85)

    for epoch in range(args.epochs):
        model.train()
        tf_ratio = max(0.0, 0.6 * (1 - epoch / (0.6 * args.epochs)))
        perm = torch.randperm(src.size(1))
        total = 0.0
        n_batches = 0
        for k in range(0, len(perm), args.batch_size):
            cols = perm[k:k + args.batch_size]
            x, y = src[:, cols], tgt[:, cols]
            optim.zero_grad()
            out = model(x, args.t_out, tgt=y, tf_ratio=tf_ratio)
            loss = loss_fn(out, y)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
            optim.step()
            total += loss.item()
            n_batches += 1
        lr_sched.step()

        model.eval()
        with torch.no_grad():
            val = loss_fn(model(val_src, args.t_out), val_tgt).item()
        print('Epoch %2d  tf %.2f  train %.5f  val %.5f' % (epoch, tf_ratio, total / n_batches, val))
    return val, val_tgt.pow(2).mean().item()


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--t-in', type=int, default=20)
    parser.add_argument('--t-out', type=int, default=10)
    parser.add_argument('--batch-size', type=int, default=50)
    parser.add_argument('--epochs', type=int, default=16)
    parser.add_argument('--lr', type=float, default=1e-2)
    parser.add_argument('--seed', type=int, default=1)
    args = parser.parse_args()
    val, power = train(args)
    print('signal power: %.4f' % power)
    print('free-running val MSE: %.5f' % val)
