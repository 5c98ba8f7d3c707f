"""Sound-event classifier: short mono clips -> log-mel -> small CNN."""
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from scipy.io import wavfile
from torch.utils.data import DataLoader, Dataset, Subset

EVENTS = ["siren", "fall", "beep", "tremolo", "clicks", "hiss"]


@dataclass
class Config:
    sr: int = 8000
    n_clips: int = 1300
    n_samples: int = 2400
    n_fft: int = 256
    hop: int = 96
    n_mels: int = 32
    batch_size: int = 48
    epochs: int = 8
    lr: float = 2e-3
    seed: int = 17


def render(kind, rng, cfg):
    t = np.arange(cfg.n_samples) / cfg.sr
    dur = t[-1]
    f0 = rng.uniform(400, 1600)
    if kind == "siren":
        wave = np.sin(2 * np.pi * (f0 * t + rng.uniform(800, 2400) * t ** 2 / (2 * dur)))
    elif kind == "fall":
        wave = np.sin(2 * np.pi * ((f0 + 1500) * t - rng.uniform(600, 1400) * t ** 2 / (2 * dur)))
    elif kind == "beep":
        wave = np.sin(2 * np.pi * f0 * t)
    elif kind == "tremolo":
        wave = np.sin(2 * np.pi * f0 * t) * (0.5 + 0.5 * np.sin(2 * np.pi * rng.uniform(12, 25) * t))
    elif kind == "clicks":
        wave = np.zeros_like(t)
        period = rng.integers(150, 400)
        wave[rng.integers(0, period)::period] = 3.0
    else:
        wave = rng.normal(0, 0.6, len(t)) * np.exp(-t * rng.uniform(2, 8))
    wave = wave * rng.uniform(0.3, 0.9) + rng.normal(0, 0.12, len(t))
    return (np.clip(wave, -3, 3) / 3 * 32000).astype(np.int16)


def record_session(root, cfg):
    """Writes clip_000.wav, clip_001.wav, ... and annotations.txt, one line per clip in recording order."""
    rng = np.random.default_rng(cfg.seed)
    names = rng.choice(EVENTS, size=cfg.n_clips)
    for i, kind in enumerate(names):
        wavfile.write(root / f"clip_{i:03d}.wav", cfg.sr, render(kind, rng, cfg))
    (root / "annotations.txt").write_text("\n".join(names) + "\n")


def mel_matrix(cfg):
    to_mel = lambda f: 2595 * np.log10(1 + f / 700)
    edges = 700 * (10 ** (np.linspace(to_mel(60), to_mel(cfg.sr / 2), cfg.n_mels + 2) / 2595) - 1)
    freqs = np.linspace(0, cfg.sr / 2, cfg.n_fft // 2 + 1)
    lo, mid, hi = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    tri = np.minimum((freqs - lo) / (mid - lo), (hi - freqs) / (hi - mid))
    return torch.tensor(np.clip(tri, 0, None), dtype=torch.float32)


class ClipDataset(Dataset):
    def __init__(self, root, cfg):
        self.paths = sorted(Path(root).glob("clip_*.wav"), key=lambda p: int(p.stem.split("_")[1]))
        lines = (Path(root) / "annotations.txt").read_text().split()
        self.targets = [EVENTS.index(x) for x in lines]
        assert len(self.paths) == len(self.targets)
        mel = mel_matrix(cfg)
        window = torch.hann_window(cfg.n_fft)
        feats = []
        for path in self.paths:
            _, pcm = wavfile.read(path)
            wave = torch.from_numpy(pcm.astype(np.float32) / 32768)
            spec = torch.stft(wave, cfg.n_fft, cfg.hop, window=window, return_complex=True).abs() ** 2
            logmel = torch.log(mel @ spec + 1e-5)
            feats.append((logmel - logmel.mean()) / logmel.std())
        self.feats = torch.stack(feats).unsqueeze(1)

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        return self.feats[i], self.targets[i]


class ClipNet(nn.Module):
    def __init__(self, n_classes, width=16):
        super().__init__()
        def block(i, o):
            return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(), nn.MaxPool2d(2))
        self.body = nn.Sequential(block(1, width), block(width, 2 * width), block(2 * width, 2 * width))
        self.head = nn.Linear(4 * width, n_classes)

    def forward(self, x):
        h = self.body(x)
        return self.head(torch.cat([h.mean((2, 3)), h.amax((2, 3))], dim=1))


def evaluate(model, loader):
    model.eval()
    hit = n = 0
    with torch.no_grad():
        for x, y in loader:
            hit += (model(x).argmax(1) == y).sum().item()
            n += len(y)
    return hit / n


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    with tempfile.TemporaryDirectory() as tmp:
        record_session(Path(tmp), cfg)
        data = ClipDataset(tmp, cfg)
    order = np.random.default_rng(cfg.seed + 1).permutation(len(data))
    cut = int(0.8 * len(order))
    train = DataLoader(Subset(data, order[:cut].tolist()), cfg.batch_size, shuffle=True, drop_last=True)
    test = DataLoader(Subset(data, order[cut:].tolist()), 128)
    model = ClipNet(len(EVENTS))
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, cfg.epochs)
    for epoch in range(cfg.epochs):
        model.train()
        total = 0.0
        for x, y in train:
            loss = F.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        sched.step()
        print(f"epoch {epoch} loss {total / len(train):.4f} test acc {evaluate(model, test):.4f}", flush=True)
    print(f"final test accuracy {evaluate(model, test):.4f}")


if __name__ == "__main__":
    main()
