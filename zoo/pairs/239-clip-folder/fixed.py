"""Bird-call toy: wav-like clips are exported to a folder first, a manifest holds the species."""
import csv
import pathlib
import tempfile

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, Subset

SPECIES = ["chirp_up", "chirp_down", "warble", "trill", "whistle"]
RATE = 4000
LENGTH = 2000


def synth(kind, rng):
    t = np.arange(LENGTH) / RATE
    f0 = rng.uniform(500, 900)
    if kind == 0:
        f = f0 + 900 * t / t[-1]
    elif kind == 1:
        f = f0 + 900 * (1 - t / t[-1])
    elif kind == 2:
        f = f0 + 300 + 200 * np.sin(2 * np.pi * rng.uniform(6, 10) * t)
    elif kind == 3:
        f = np.full_like(t, f0 + 400)
    else:
        f = np.full_like(t, f0 + 400)
    wave = np.sin(2 * np.pi * np.cumsum(f) / RATE)
    if kind == 3:
        wave *= np.sin(2 * np.pi * rng.uniform(12, 20) * t) > 0
    wave *= np.hanning(LENGTH) ** 0.5 * rng.uniform(0.4, 1.0)
    return (wave + 0.3 * rng.normal(size=LENGTH)).astype(np.float32)


def export(folder: pathlib.Path, n: int, seed: int):
    rng = np.random.default_rng(seed)
    (folder / "clips").mkdir()
    with open(folder / "manifest.csv", "w", newline="") as fh:
        w = csv.writer(fh)
        w.writerow(["clip", "recordist", "species"])
        for i in range(n):
            kind = int(rng.integers(len(SPECIES)))
            np.save(folder / "clips" / f"rec{i}.npy", synth(kind, rng))
            w.writerow([i, rng.choice(["anna", "ben", "cleo"]), SPECIES[kind]])


class ClipFolder(Dataset):
    def __init__(self, folder):
        folder = pathlib.Path(folder)
        with open(folder / "manifest.csv") as fh:
            rows = list(csv.DictReader(fh))
        self.files = sorted((folder / "clips").glob("*.npy"), key=lambda p: int(p.stem[3:]))
        self.labels = [SPECIES.index(r["species"]) for r in rows]
        assert len(self.files) == len(self.labels)
        self.window = torch.hann_window(128)
        self.cache = {}

    def __len__(self):
        return len(self.files)

    def features(self, i):
        if i not in self.cache:
            wave = torch.from_numpy(np.load(self.files[i]))
            spec = torch.stft(wave, 128, hop_length=50, window=self.window, return_complex=True).abs()
            spec = torch.log(spec + 1e-3)
            self.cache[i] = (spec - spec.mean()) / spec.std()
        return self.cache[i]

    def __getitem__(self, i):
        return self.features(i).unsqueeze(0), self.labels[i]


class SpecNet(nn.Module):
    def __init__(self, n_classes, ch=12):
        super().__init__()

        def block(i, o):
            return nn.Sequential(nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(), nn.MaxPool2d(2))

        self.net = nn.Sequential(block(1, ch), block(ch, 2 * ch), block(2 * ch, 3 * ch))
        self.head = nn.Linear(3 * ch * 8, n_classes)

    def forward(self, x):
        h = self.net(x).mean(-1)          # average over time, keep frequency
        return self.head(h.flatten(1))


def accuracy(model, loader):
    model.eval()
    hit = n = 0
    with torch.no_grad():
        for x, y in loader:
            hit += (model(x).argmax(1) == y).sum().item()
            n += len(y)
    return hit / n


def main():
    seed = 0
    torch.manual_seed(seed)
    with tempfile.TemporaryDirectory() as tmp:
        tmp = pathlib.Path(tmp)
        export(tmp, 1100, seed)
        data = ClipFolder(tmp)
        order = torch.randperm(len(data)).tolist()
        train = DataLoader(Subset(data, order[:850]), batch_size=32, shuffle=True)
        val = DataLoader(Subset(data, order[850:]), batch_size=64)
        model = SpecNet(len(SPECIES))
        opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-2)
        for epoch in range(6):
            model.train()
            total = 0.0
            for x, y in train:
                loss = nn.functional.cross_entropy(model(x), y, label_smoothing=0.05)
                opt.zero_grad()
                loss.backward()
                opt.step()
                total += loss.item()
            print(f"epoch {epoch} loss {total / len(train):.3f} val acc {accuracy(model, val):.3f}")
        print(f"val accuracy {accuracy(model, val):.4f}")


if __name__ == "__main__":
    main()
