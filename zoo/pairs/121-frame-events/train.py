# Frame-level sound event tagging: recordings of different lengths, a GRU over band energies.
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader

BANDS, CLASSES, BACKGROUND = 16, 5, 0


def recording(rng, profiles):
    n = int(np.clip(rng.lognormal(3.7, 0.6), 16, 160))
    tags = np.zeros(n, dtype=np.int64)
    i = 0
    while i < n:
        kind = int(rng.choice(CLASSES, p=[0.28, 0.18, 0.18, 0.18, 0.18]))
        step = int(rng.integers(4, 14))
        tags[i : i + step] = kind
        i += step
    x = profiles[tags] * rng.uniform(0.5, 1.1) + rng.normal(0, 1.25, (n, BANDS))
    return torch.tensor(x, dtype=torch.float32), torch.tensor(tags)


def collate(items):
    lengths = torch.tensor([len(y) for _, y in items])
    x = pad_sequence([x for x, _ in items], batch_first=True)
    y = pad_sequence([y for _, y in items], batch_first=True, padding_value=BACKGROUND)
    return x, y, lengths


def valid_frames(lengths, width):
    return torch.arange(width)[None, :] < lengths[:, None]


class Tagger(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.inp = nn.Linear(BANDS, hidden)
        self.rnn = nn.GRU(hidden, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, CLASSES)

    def forward(self, x, lengths):
        h = F.relu(self.inp(x))
        h = pack_padded_sequence(h, lengths, batch_first=True, enforce_sorted=False)
        h, _ = pad_packed_sequence(self.rnn(h)[0], batch_first=True, total_length=x.shape[1])
        return self.out(h)


def train_step(model, opt, batch):
    x, y, lengths = batch
    mask = valid_frames(lengths, x.shape[1])
    loss = F.cross_entropy(model(x, lengths)[mask], y[mask])
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    opt.step()
    return loss.item()


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    found, present = torch.zeros(CLASSES - 1), torch.zeros(CLASSES - 1)
    hit = total = 0
    for x, y, lengths in loader:
        mask = valid_frames(lengths, x.shape[1])
        pred = model(x, lengths).argmax(-1).masked_fill(~mask, BACKGROUND)
        hit += (pred == y).sum().item()
        total += y.numel()
        for c in range(1, CLASSES):
            found[c - 1] += ((pred == c) & (y == c)).sum()
            present[c - 1] += (y == c).sum()
    model.train()
    return hit / total, (found / present).mean().item()


def main():
    torch.manual_seed(7)
    rng = np.random.default_rng(7)
    profiles = rng.normal(0, 0.75, (CLASSES, BANDS))
    profiles[BACKGROUND] = 0
    train = [recording(rng, profiles) for _ in range(800)]
    test = [recording(rng, profiles) for _ in range(250)]
    train_loader = DataLoader(train, batch_size=16, shuffle=True, collate_fn=collate)
    test_loader = DataLoader(test, batch_size=50, collate_fn=collate)
    model = Tagger()
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(4):
        losses = [train_step(model, opt, b) for b in train_loader]
        acc, recall = evaluate(model, test_loader)
        print(f"epoch {epoch} loss {np.mean(losses):.4f} frame accuracy {acc:.3f} event recall {recall:.3f}")
    acc, recall = evaluate(model, test_loader)
    print(f"held-out frame accuracy {acc:.4f}, event recall {recall:.4f}")


if __name__ == "__main__":
    main()
