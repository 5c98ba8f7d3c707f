"""CTC recogniser for dial-tone-like audio. Each symbol is a two-tone burst of varying length."""
import math

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

ALPHABET = list("0123456789AB")
SR = 4000
HOP = 40
LOW = [350.0, 430.0, 520.0, 610.0]
HIGH = [1010.0, 1180.0, 1390.0]


def tone(symbol, dur, gen):
    lo, hi = LOW[symbol % 4], HIGH[symbol // 4]
    t = torch.arange(int(dur * SR)) / SR
    ph = torch.rand(2, generator=gen) * 2 * math.pi
    detune = 1 + 0.02 * torch.randn(2, generator=gen)
    return torch.sin(2 * math.pi * lo * detune[0] * t + ph[0]) + torch.sin(2 * math.pi * hi * detune[1] * t + ph[1])


class ToneDataset(Dataset):
    def __init__(self, n, seed):
        gen = torch.Generator().manual_seed(seed)
        self.items = []
        for _ in range(n):
            length = int(torch.randint(3, 8, (1,), generator=gen))
            label = torch.randint(len(ALPHABET), (length,), generator=gen)
            parts = [torch.zeros(int(torch.randint(20, 120, (1,), generator=gen)))]
            for s in label.tolist():
                dur = 0.05 + 0.10 * torch.rand(1, generator=gen).item()
                parts.append(tone(s, dur, gen))
                parts.append(torch.zeros(int(torch.randint(80, 240, (1,), generator=gen))))
            wav = torch.cat(parts)
            wav = wav * (0.3 + torch.rand(1, generator=gen)) + 0.3 * torch.randn(len(wav), generator=gen)
            spec = torch.stft(wav, 128, hop_length=HOP, window=torch.hann_window(128), return_complex=True).abs()
            self.items.append((torch.log1p(spec).T.contiguous() - 1.5, label))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(batch):
    specs, labels = zip(*batch)
    spec_len = torch.tensor([len(s) for s in specs])
    x = nn.utils.rnn.pad_sequence(specs, batch_first=True)
    return x, spec_len, torch.cat(labels), torch.tensor([len(l) for l in labels])


class Recogniser(nn.Module):
    """three convolutions, stride 2 in time"""

    def __init__(self, n_bins=65, hidden=64):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(n_bins, hidden, 5, stride=2, padding=2), nn.BatchNorm1d(hidden), nn.ReLU(),
            nn.Conv1d(hidden, hidden, 3, padding=1), nn.BatchNorm1d(hidden), nn.ReLU(),
            nn.Conv1d(hidden, hidden, 3, padding=1), nn.BatchNorm1d(hidden), nn.ReLU(),
        )
        self.head = nn.Linear(hidden, len(ALPHABET) + 1)

    def forward(self, x, lens):
        h = self.conv(x.transpose(1, 2)).transpose(1, 2)
        return self.head(h).log_softmax(-1), (lens - 1) // 2 + 1


def greedy(logp, lens):
    out = []
    for path, k in zip(logp.argmax(-1).tolist(), lens.tolist()):
        prev, seq = None, []
        for s in path[:k]:
            if s != prev and s < len(ALPHABET):
                seq.append(s)
            prev = s
        out.append(seq)
    return out


def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diag, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diag, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diag + (x != y))
    return row[-1]


@torch.no_grad()
def symbol_error_rate(model, loader):
    model.eval()
    err = tot = 0
    for x, xl, y, yl in loader:
        logp, ol = model(x, xl)
        for hyp, ref in zip(greedy(logp, ol), y.split(yl.tolist())):
            err += edit_distance(hyp, ref.tolist())
            tot += len(ref)
    return err / tot


def main():
    torch.manual_seed(0)
    train = DataLoader(ToneDataset(900, seed=0 + 1), batch_size=16, shuffle=True, collate_fn=collate)
    test = DataLoader(ToneDataset(200, seed=0 + 2), batch_size=64, collate_fn=collate)
    model = Recogniser()
    ctc = nn.CTCLoss(blank=len(ALPHABET), zero_infinity=True)
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    epochs = 14
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=6e-3, total_steps=epochs * len(train))
    for epoch in range(epochs):
        model.train()
        running = 0.0
        for x, xl, y, yl in train:
            logp, ol = model(x, xl)
            loss = ctc(logp.transpose(0, 1), y, ol, yl)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            sched.step()
            running += loss.item()
        print(f"epoch {epoch:02d} ctc {running / len(train):.3f} SER {symbol_error_rate(model, test):.3f}")
    print(f"test symbol error rate: {symbol_error_rate(model, test):.4f}")


if __name__ == "__main__":
    main()
