import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, random_split

from make_clips import NAMES, build


class ClipFolder(Dataset):
    """Log-spectrograms of every clip in a folder, kept in memory."""

    def __init__(self, folder):
        folder = Path(folder)
        table = pd.read_csv(folder / "labels.csv")
        files = sorted(folder.glob("clip_*.npy"))
        assert len(files) == len(table)
        self.labels = torch.tensor([NAMES.index(v) for v in table["label"]])
        window = torch.hann_window(128)
        specs = []
        for f in files:
            wav = torch.from_numpy(np.load(f))
            s = torch.stft(wav, 128, hop_length=32, window=window, return_complex=True).abs()
            specs.append(torch.log(s[:48] + 1e-2))
        self.specs = torch.stack(specs)
        self.specs = (self.specs - self.specs.mean()) / self.specs.std()

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.specs[i][None], self.labels[i]


class SpecNet(nn.Module):
    def __init__(self, classes):
        super().__init__()

        def block(a, b):
            return nn.Sequential(nn.Conv2d(a, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU(), nn.MaxPool2d(2))

        self.body = nn.Sequential(block(1, 12), block(12, 24), block(24, 32))
        self.head = nn.Linear(32 * 6 * 4, classes)
        self.drop = nn.Dropout(0.3)

    def forward(self, x):
        return self.head(self.drop(self.body(x).flatten(1)))


def accuracy(net, loader):
    net.eval()
    hit = n = 0
    with torch.no_grad():
        for x, y in loader:
            hit += (net(x).argmax(1) == y).sum().item()
            n += len(y)
    return hit / n


def main():
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as tmp:
        build(tmp)
        data = ClipFolder(tmp)
    train, test = random_split(data, [1100, 300], generator=torch.Generator().manual_seed(5))
    train_loader = DataLoader(train, batch_size=32, shuffle=True)
    test_loader = DataLoader(test, batch_size=100)
    net = SpecNet(len(NAMES))
    opt = torch.optim.Adam(net.parameters(), lr=1.5e-3)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.02)
    step = 0
    for epoch in range(9):
        net.train()
        for x, y in train_loader:
            loss = criterion(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            if step % 40 == 0:
                print(f"step {step:4d} loss {loss.item():.4f}")
            step += 1
        print(f"epoch {epoch} train acc {accuracy(net, DataLoader(train, 200)):.3f}")
    print(f"held-out accuracy {accuracy(net, test_loader):.3f}")


if __name__ == "__main__":
    main()
