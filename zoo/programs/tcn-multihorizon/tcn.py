from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.parametrizations import weight_norm


@dataclass
class Args:
    context: int = 64
    horizon: int = 12
    channels: int = 16
    levels: int = 5
    kernel: int = 3
    steps: int = 350
    batch: int = 32
    lr: float = 3e-3
    seed: int = 0


class CausalConv(nn.Module):
    def __init__(self, cin, cout, k, dilation):
        super().__init__()
        self.pad = (k - 1) * dilation
        self.conv = weight_norm(nn.Conv1d(cin, cout, k, dilation=dilation))

    def forward(self, x):
        return self.conv(F.pad(x, (self.pad, 0)))


class TemporalBlock(nn.Module):
    def __init__(self, cin, cout, k, dilation, p=0.02):
        super().__init__()
        self.conv = CausalConv(cin, cout, k, dilation)
        self.drop = nn.Dropout(p)
        self.res = nn.Conv1d(cin, cout, 1) if cin != cout else nn.Identity()

    def forward(self, x):
        return self.drop(F.gelu(self.conv(x))) + self.res(x)


class TCN(nn.Module):
    def __init__(self, n_in, a: Args):
        super().__init__()
        blocks, c = [], n_in
        for i in range(a.levels):
            blocks.append(TemporalBlock(c, a.channels, a.kernel, 2**i))
            c = a.channels
        self.net = nn.Sequential(*blocks)
        self.readout = nn.Linear(a.channels, a.horizon)

    def forward(self, x):
        # x: (B, C, T), forecast from the state at the last time step
        return self.readout(self.net(x)[:, :, -1])


def load_traffic(days=90, seed=8):
    """Hourly load with daily/weekly pattern and a known driver (temperature)."""
    rng = np.random.default_rng(seed)
    h = np.arange(days * 24)
    temp = 12 + 6 * np.sin(2 * np.pi * (h - 9) / 24) + np.cumsum(rng.normal(0, 0.25, len(h)))
    weekend = ((h // 24) % 7 >= 5).astype(float)
    base = 50 + 15 * np.sin(2 * np.pi * (h - 7) / 24) + 8 * np.sin(4 * np.pi * h / 24)
    load = base - 9 * weekend - 0.8 * (temp - 12) + rng.normal(0, 1.2, len(h))
    return np.stack([load, temp, weekend, np.sin(2 * np.pi * h / 24), np.cos(2 * np.pi * h / 24)]).astype(np.float32)


def gather_windows(data, starts, a):
    idx = starts[:, None] + torch.arange(a.context)
    fut = starts[:, None] + a.context + torch.arange(a.horizon)
    x = data[:, idx].permute(1, 0, 2)
    y = data[0][fut]
    return x, y


@torch.no_grad()
def mae(model, data, lo, hi, a):
    model.eval()
    starts = torch.arange(lo, hi - a.context - a.horizon + 1)
    x, y = gather_windows(data, starts, a)
    pred = model(x)
    model.train()
    return (pred - y).abs().mean(0)


def main():
    a = Args()
    torch.manual_seed(a.seed)
    raw = load_traffic()
    T = raw.shape[1]
    split1, split2 = int(T * 0.65), int(T * 0.8)
    mu = raw[:, :split1].mean(1, keepdims=True)
    sd = raw[:, :split1].std(1, keepdims=True)
    data = torch.from_numpy((raw - mu) / sd)
    load_scale = float(sd[0, 0])

    model = TCN(data.shape[0], a)
    opt = torch.optim.AdamW(model.parameters(), lr=a.lr, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=2 * a.lr, total_steps=a.steps)
    last_start = split1 - a.context - a.horizon
    for step in range(a.steps):
        starts = torch.randint(0, last_start + 1, (a.batch,))
        x, y = gather_windows(data, starts, a)
        loss = F.l1_loss(model(x), y)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        sched.step()
        if (step + 1) % 50 == 0:
            v = mae(model, data, split1, split2, a).mean().item() * load_scale
            print(f"step {step + 1:4d} | train {loss.item() * load_scale:.3f} | val MAE {v:.3f}")

    per_h = mae(model, data, split2, T, a) * load_scale
    for k in (0, 5, 11):
        print(f"h+{k + 1:<2d}: {per_h[k]:.3f}")
    print(f"Test MAE over all horizons: {per_h.mean().item():.4f}")


if __name__ == "__main__":
    main()
