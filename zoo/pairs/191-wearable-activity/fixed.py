"""Activity recognition from a three-axis wearable: cut recordings into windows and classify them."""
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

RATE, SECONDS, WINDOW, HOP = 25, 60, 50, 20
ACTIVITIES = {"rest": (0.2, 0.05), "walk": (1.8, 0.6), "run": (2.9, 1.4), "stairs": (1.4, 0.9), "cycle": (1.1, 0.4)}
BATCH, EPOCHS, LR, SEED = 64, 12, 2e-3, 5


def record(rng, freq, amp):
    """One recording; the radio link drops out now and then and leaves NaN."""
    t = np.arange(RATE * SECONDS) / RATE
    freq = freq * rng.normal(1, 0.06)
    phase = rng.uniform(0, 2 * np.pi, 3)
    gain = amp * rng.uniform(0.7, 1.3, 3)
    x = gain * np.sin(2 * np.pi * freq * t[:, None] + phase) + 0.3 * gain * np.sin(4 * np.pi * freq * t[:, None])
    x += rng.normal(0, 0.15, x.shape)
    for _ in range(rng.integers(1, 4)):
        start = rng.integers(0, len(t) - 40)
        x[start : start + rng.integers(5, 40)] = np.nan
    return x.astype(np.float32)


def collect(n_subjects, seed):
    rng = np.random.default_rng(seed)
    names = list(ACTIVITIES)
    for _ in range(n_subjects):
        for k in rng.permutation(len(names)):
            yield record(rng, *ACTIVITIES[names[k]]), int(k)


def slide(signal):
    starts = range(0, len(signal) - WINDOW + 1, HOP)
    return np.stack([signal[s : s + WINDOW] for s in starts])


def keep_complete(windows, labels, max_missing=0.0):
    """Remove windows touched by a dropout."""
    missing = np.isnan(windows).any(axis=2).mean(axis=1)
    ok = missing <= max_missing
    windows = windows[ok]
    labels = labels[ok]
    return windows, labels


def build(n_subjects, seed):
    xs, ys = [], []
    for signal, activity in collect(n_subjects, seed):
        cut = slide(signal)
        xs.append(cut)
        ys.append(np.full(len(cut), activity))
    x, y = keep_complete(np.concatenate(xs), np.concatenate(ys))
    x = (x - x.mean(axis=(0, 1))) / x.std(axis=(0, 1))
    return TensorDataset(torch.from_numpy(x).transpose(1, 2).contiguous(), torch.from_numpy(y))


class ConvNet(nn.Module):
    def __init__(self, channels=3, classes=len(ACTIVITIES), width=24):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(channels, width, 7, padding=3), nn.BatchNorm1d(width), nn.ReLU(),
            nn.MaxPool1d(2),
            nn.Conv1d(width, 2 * width, 5, padding=2), nn.BatchNorm1d(2 * width), nn.ReLU(),
            nn.AdaptiveAvgPool1d(4),
        )
        self.classifier = nn.Sequential(nn.Flatten(), nn.Dropout(0.2), nn.Linear(8 * width, classes))

    def forward(self, x):
        return self.classifier(self.features(x))


def accuracy(model, loader):
    model.eval()
    with torch.no_grad():
        hits = sum((model(x).argmax(1) == y).sum().item() for x, y in loader)
    return hits / len(loader.dataset)


def main():
    torch.manual_seed(SEED)
    train_set, val_set = build(24, 1), build(8, 2)
    print(f"{len(train_set)} training windows, {len(val_set)} validation windows")
    train = DataLoader(train_set, batch_size=BATCH, shuffle=True)
    val = DataLoader(val_set, batch_size=256)
    model = ConvNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=LR)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(EPOCHS):
        model.train()
        total = 0.0
        for x, y in train:
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(x)
        print(f"epoch {epoch + 1:2d} loss {total / len(train_set):.4f} val acc {accuracy(model, val):.4f}")
    print(f"final val acc {accuracy(model, val):.4f}")


if __name__ == "__main__":
    main()
