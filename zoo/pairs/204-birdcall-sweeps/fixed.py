"""Classify short bird-call-like sweeps from their spectrograms, with waveform augmentation."""
import argparse

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

RATE, SAMPLES = 4000, 2048
CALLS = ["rising", "falling", "quick rise slow fall", "slow rise quick fall", "warble", "plain"]


def contour(kind, t, rng):
    low, span = rng.uniform(350, 700), rng.uniform(400, 800)
    peak = {2: 0.2, 3: 0.8}.get(kind)
    if kind == 0:
        shape = t
    elif kind == 1:
        shape = 1 - t
    elif peak is not None:
        shape = np.where(t < peak, t / peak, (1 - t) / (1 - peak))
    elif kind == 4:
        shape = 0.5 + 0.35 * np.sin(2 * np.pi * 5 * t)
    else:
        shape = np.full_like(t, 0.5)
    return low + span * shape


def call(kind, rng):
    t = np.linspace(0, 1, SAMPLES)
    phase = 2 * np.pi * np.cumsum(contour(kind, t, rng)) / RATE
    envelope = np.sin(np.pi * t) ** 0.5
    wave = envelope * (np.sin(phase) + rng.uniform(0, 0.4) * np.sin(2 * phase))
    return (wave + rng.normal(0, rng.uniform(0.3, 0.9), SAMPLES)).astype(np.float32)


# -- augmentation ---------------------------------------------------------------------------------


def gain(wave):
    return wave * torch.empty(()).uniform_(0.6, 1.6)


def roll(wave):
    return wave.roll(int(torch.randint(-120, 121, ())), -1)


def hiss(wave):
    return wave + 0.2 * torch.rand(()) * torch.randn_like(wave)


def invert(wave):
    return -wave


class RandomApply:
    def __init__(self, *steps, p=0.5):
        self.steps, self.p = steps, p

    def __call__(self, wave):
        for step in self.steps:
            if torch.rand(()) < self.p:
                wave = step(wave)
        return wave


class Calls(Dataset):
    def __init__(self, n, seed, transform=None):
        rng = np.random.default_rng(seed)
        self.labels = rng.integers(len(CALLS), size=n)
        self.waves = [torch.from_numpy(call(int(k), rng)) for k in self.labels]
        self.transform = transform

    def __len__(self):
        return len(self.waves)

    def __getitem__(self, i):
        wave = self.waves[i]
        return (self.transform(wave) if self.transform else wave), int(self.labels[i])


class CallNet(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.register_buffer("window", torch.hann_window(128), persistent=False)
        self.net = nn.Sequential(
            nn.Conv2d(1, width, 3, stride=2, padding=1), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, 2 * width, 3, stride=2, padding=1), nn.BatchNorm2d(2 * width), nn.ReLU(),
            nn.Conv2d(2 * width, 2 * width, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d((6, 6)),
            nn.Flatten(), nn.Dropout(0.2), nn.Linear(72 * width, len(CALLS)),
        )

    def forward(self, wave):
        spec = torch.stft(wave, 128, 64, window=self.window, return_complex=True).abs()
        spec = torch.log1p(spec)
        spec = (spec - spec.mean((1, 2), keepdim=True)) / spec.std((1, 2), keepdim=True)
        return self.net(spec.unsqueeze(1))


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    return sum((model(w).argmax(1) == y).sum().item() for w, y in loader) / len(loader.dataset)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=10)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--batch", type=int, default=40)
    p.add_argument("--seed", type=int, default=12)
    args = p.parse_args()
    torch.manual_seed(args.seed)
    augment = RandomApply(gain, roll, hiss, invert)
    train = DataLoader(Calls(1200, 1, augment), args.batch, shuffle=True)
    val = DataLoader(Calls(400, 2), 200)
    model = CallNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for wave, label in train:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(wave), label)
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch + 1:2d} loss {total / len(train):.4f} val acc {accuracy(model, val):.4f}")
    print(f"final val acc {accuracy(model, val):.4f}")


if __name__ == "__main__":
    main()
