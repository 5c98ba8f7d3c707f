"""Reads short lines of digits (sklearn 8x8 digits glued side by side) with a conv + GRU + CTC."""
import argparse

import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, Dataset

BLANK = 10


class DigitLines(Dataset):
    def __init__(self, images, labels, size, seed):
        rng = np.random.default_rng(seed)
        self.samples = []
        for _ in range(size):
            n = rng.integers(2, 6)
            idx = rng.integers(0, len(images), n)
            pieces = []
            for i in idx:
                pieces += [images[i], np.zeros((8, rng.integers(0, 3)))]
            line = np.concatenate(pieces, axis=1).astype("float32")
            self.samples.append((torch.from_numpy(line), torch.tensor(labels[idx])))

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, i):
        return self.samples[i]


def collate(batch):
    widths = [line.shape[1] for line, _ in batch]
    x = torch.zeros(len(batch), 8, max(widths))
    for i, (line, _) in enumerate(batch):
        x[i, :, :widths[i]] = line
    targets = torch.cat([t for _, t in batch])
    target_lens = torch.tensor([len(t) for _, t in batch])
    return x, torch.tensor(widths) // 2, targets, target_lens


class Recognizer(nn.Module):
    def __init__(self, hidden=64, classes=11):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(8, 48, 5, padding=2), nn.ReLU(),
                                  nn.Conv1d(48, 64, 3, padding=1), nn.ReLU(), nn.MaxPool1d(2))
        self.rnn = nn.GRU(64, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, classes)

    def forward(self, x):
        h, _ = self.rnn(self.conv(x).transpose(1, 2))
        return self.out(h).log_softmax(-1).transpose(0, 1)


def greedy_decode(log_probs, lens):
    best = log_probs.argmax(-1).T
    texts = []
    for row, n in zip(best, lens):
        row = torch.unique_consecutive(row[:n])
        texts.append(row[row != BLANK].tolist())
    return texts


def exact_match(model, loader):
    model.eval()
    hits = total = 0
    with torch.no_grad():
        for x, lens, targets, tlens in loader:
            for hyp, ref in zip(greedy_decode(model(x), lens), targets.split(tlens.tolist())):
                hits += hyp == ref.tolist()
                total += 1
    return hits / total


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=8)
    p.add_argument("--lr", type=float, default=3e-3)
    args = p.parse_args()
    torch.manual_seed(0)
    digits = load_digits()
    order = np.random.default_rng(0).permutation(len(digits.target))
    images = digits.images[order] / 16.0
    labels = digits.target[order]
    train = DigitLines(images[:1400], labels[:1400], 1600, seed=1)
    test = DigitLines(images[1400:], labels[1400:], 300, seed=2)
    train_loader = DataLoader(train, 32, shuffle=True, collate_fn=collate)
    test_loader = DataLoader(test, 64, collate_fn=collate)

    model = Recognizer()
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    ctc = nn.CTCLoss(blank=BLANK, zero_infinity=True)
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for x, lens, targets, tlens in train_loader:
            loss = ctc(model(x), targets, lens, tlens)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            total += loss.item()
        print(f"epoch {epoch} ctc {total / len(train_loader):.3f} exact match {exact_match(model, test_loader):.3f}")


if __name__ == "__main__":
    main()
