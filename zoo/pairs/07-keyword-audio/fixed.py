"""Keyword spotting on synthetic 1-second clips with a log-spectrogram CNN."""
import argparse

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SR = 4000
WORDS = ["up", "down", "stop", "go", "left", "right"]


def record(label, rng, sr):
    """Two gliding partials whose direction and spacing depend on the word."""
    t = np.arange(sr) / sr
    f0 = rng.uniform(280, 360)
    glide = [180, -140, 0, 0, 180, -140][label]
    ratio = [2.0, 2.0, 2.0, 3.1, 3.1, 3.1][label]
    phase = 2 * np.pi * (f0 * t + 0.5 * glide * t ** 2)
    env = np.exp(-((t - rng.uniform(0.35, 0.65)) / 0.22) ** 2)
    y = env * (np.sin(phase) + 0.6 * np.sin(ratio * phase + rng.uniform(0, 6)))
    gain = 10 ** rng.uniform(-1.2, 0.0)
    return (gain * (y + 0.25 * rng.normal(size=sr))).astype(np.float32)


def one_second(wave, sr):
    """A clip ready for the model."""
    wave = wave[::sr // SR]
    return wave[:SR]


def spectrogram(wave, n_fft=128, hop=64):
    win = torch.hann_window(n_fft)
    return torch.stft(wave, n_fft, hop, window=win, return_complex=True).abs()


def log_compress(spec):
    return torch.log(spec + 1e-3)


class Clips(Dataset):
    def __init__(self, n, seed, sr, transform):
        rng = np.random.default_rng(seed)
        self.y = rng.integers(len(WORDS), size=n)
        self.x = torch.from_numpy(np.stack([one_second(record(k, rng, sr), sr) for k in self.y]))
        self.feats = transform(spectrogram(self.x)).unsqueeze(1)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.feats[i], int(self.y[i])


class SpotNet(nn.Module):
    def __init__(self, mean, std, n=len(WORDS)):
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("std", std)
        self.conv = nn.Sequential(
            nn.Conv2d(1, 8, 5, stride=2, padding=2), nn.ReLU(),
            nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(16, 24, 3, stride=2, padding=1), nn.ReLU())
        self.head = nn.Sequential(nn.Flatten(), nn.LazyLinear(48), nn.ReLU(), nn.Dropout(0.2), nn.Linear(48, n))

    def forward(self, x):
        return self.head(self.conv((x - self.mean) / self.std))


def main(a):
    torch.manual_seed(a.seed)
    train = Clips(1500, seed=1, sr=4000, transform=log_compress)
    held = Clips(500, seed=2, sr=8000, transform=log_compress)
    model = SpotNet(train.feats.mean(), train.feats.std())
    model(train.feats[:2])
    opt = torch.optim.Adam(model.parameters(), lr=a.lr)
    ce = nn.CrossEntropyLoss()
    for ep in range(a.epochs):
        model.train()
        seen = right = 0
        for x, y in DataLoader(train, batch_size=32, shuffle=True):
            out = model(x)
            loss = ce(out, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            seen += len(y)
            right += (out.argmax(1) == y).sum().item()
        print(f"epoch {ep + 1}/{a.epochs} train acc {right / seen:.3f}")
    model.eval()
    conf = torch.zeros(len(WORDS), len(WORDS), dtype=torch.long)
    with torch.no_grad():
        for x, y in DataLoader(held, batch_size=100):
            for t, p in zip(y, model(x).argmax(1)):
                conf[t, p] += 1
    print(conf)
    print("held-out accuracy =", round((conf.diag().sum() / conf.sum()).item(), 4))


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=10)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--seed", type=int, default=0)
    main(ap.parse_args())
