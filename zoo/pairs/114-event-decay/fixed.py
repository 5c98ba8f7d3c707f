"""GRU over irregular sensor events with unix timestamps; the target is the current decayed load."""
import argparse

import numpy as np
import torch
from torch import nn

LENGTH, TAU = 12, 90.0


def make_events(n, seed):
    rng = np.random.default_rng(seed)
    start = rng.integers(1_700_000_000, 1_731_000_000, size=(n, 1))
    stamps = start + rng.exponential(40.0, size=(n, LENGTH)).astype(np.int64).cumsum(1)
    size = rng.uniform(0.2, 1.5, size=(n, LENGTH)).astype(np.float32)
    age = stamps[:, -1:] - stamps
    load = (size * np.exp(-age / TAU)).sum(1).astype(np.float32)
    return torch.from_numpy(stamps), torch.from_numpy(size), torch.from_numpy(load)


def features(stamps, size):
    gap = torch.diff(stamps, dim=1, prepend=stamps[:, :1]).float()
    return torch.stack([size, gap / 60.0], -1)


class LoadNet(nn.Module):
    def __init__(self, hidden=40):
        super().__init__()
        self.rnn = nn.GRU(2, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.out(self.rnn(x)[0][:, -1]).squeeze(-1)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=700)
    ap.add_argument("--batch", type=int, default=96)
    ap.add_argument("--lr", type=float, default=4e-3)
    args = ap.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    stamps, size, load = make_events(8000, 0)
    x = features(stamps, size)
    net = LoadNet()
    opt = torch.optim.Adam(net.parameters(), lr=args.lr)
    for step in range(1, args.steps + 1):
        idx = torch.randint(0, len(x), (args.batch,))
        loss = nn.functional.mse_loss(net(x[idx]), load[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 100 == 0:
            print(f"step {step}  mse {loss.item():.4f}")
    stamps, size, load = make_events(2000, 1)
    with torch.no_grad():
        mse = nn.functional.mse_loss(net(features(stamps, size)), load)
    print(f"held-out R2 {1 - mse.item() / load.var().item():.4f}")


if __name__ == "__main__":
    main()
