"""Route support tickets to a team with an embedding-bag style classifier."""
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from textprep import Vocab, tickets


class TicketSet(Dataset):
    def __init__(self, rows, vocab=None):
        texts = [t for t, _ in rows]
        self.vocab = vocab or Vocab(texts)
        self.ids = torch.tensor([self.vocab(t) for t in texts])
        self.y = torch.tensor([k for _, k in rows])

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.ids[i], self.y[i]


class Router(nn.Module):
    def __init__(self, vocab_size, classes, dim=32, drop=0.2):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, dim, padding_idx=Vocab.PAD)
        self.score = nn.Linear(dim, 1)
        self.out = nn.Sequential(nn.Linear(dim, 48), nn.ReLU(), nn.Dropout(drop), nn.Linear(48, classes))

    def forward(self, ids):
        e = self.emb(ids)
        s = self.score(e).squeeze(-1).masked_fill(ids == Vocab.PAD, -1e9)
        return self.out((s.softmax(-1).unsqueeze(-1) * e).sum(1))


def macro_f1(pred, y, k):
    scores = []
    for c in range(k):
        tp = ((pred == c) & (y == c)).sum().item()
        fp = ((pred == c) & (y != c)).sum().item()
        fn = ((pred != c) & (y == c)).sum().item()
        scores.append(2 * tp / max(1, 2 * tp + fp + fn))
    return sum(scores) / k


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=8)
    ap.add_argument("--batch-size", type=int, default=32)
    ap.add_argument("--lr", type=float, default=2e-3)
    args = ap.parse_args()
    torch.manual_seed(99)

    rows, names = tickets(3000, seed=1)
    new_rows, _ = tickets(700, seed=2)
    train = TicketSet(rows)
    test = TicketSet(new_rows)
    model = Router(len(train.vocab), len(names))
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    for ep in range(args.epochs):
        model.train()
        hits = 0
        for ids, y in DataLoader(train, batch_size=args.batch_size, shuffle=True):
            logits = model(ids)
            loss = nn.functional.cross_entropy(logits, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            hits += (logits.argmax(1) == y).sum().item()
        print(f"epoch {ep + 1}: train acc {hits / len(train):.3f}")
    model.eval()
    with torch.no_grad():
        pred = model(test.ids).argmax(1)
    print("per-team recall:", {n: round((pred == test.y)[test.y == i].float().mean().item(), 2) for i, n in enumerate(names)})
    print(f"macro F1 on new tickets: {macro_f1(pred, test.y, len(names)):.3f}")


if __name__ == "__main__":
    main()
