"""Duplicate question detection with a siamese GRU over generated token sequences."""
import random

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

VOCAB, INTENTS, SYN, STOP = 141, 15, 4, 20


def question(intent, rng):
    """Two content words, each drawn from the synonym set of its concept, among stop words."""
    concepts = [2 * intent, 2 * intent + 1]
    words = [1 + c * SYN + rng.randrange(SYN) for c in concepts]
    words += [rng.randrange(VOCAB - STOP, VOCAB) for _ in range(rng.randint(1, 3))]
    rng.shuffle(words)
    return torch.tensor(words)


def pairs(n, seed):
    rng = random.Random(seed)
    a, b, y = [], [], []
    for _ in range(n):
        i = rng.randrange(INTENTS)
        dup = rng.random() < 0.5
        j = i if dup else rng.choice([k for k in range(INTENTS) if k != i])
        a.append(question(i, rng))
        b.append(question(j, rng))
        y.append(float(dup))
    return pad_sequence(a, batch_first=True), pad_sequence(b, batch_first=True), torch.tensor(y)


class Siamese(nn.Module):
    def __init__(self, dim=24, hid=32):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, dim, padding_idx=0)
        self.rnn = nn.GRU(dim, hid, batch_first=True, bidirectional=True)
        self.cmp = nn.Sequential(nn.Linear(4 * hid, 48), nn.ReLU(), nn.Linear(48, 1))

    def encode(self, tokens):
        e = self.emb(tokens)
        h, _ = self.rnn(e)
        keep = (tokens != 0).unsqueeze(-1)
        return h.masked_fill(~keep, -1e4).amax(1)

    def forward(self, a, b):
        both = self.encode(torch.cat([nn.functional.pad(a, (0, max(0, b.shape[1] - a.shape[1]))),
                                      nn.functional.pad(b, (0, max(0, a.shape[1] - b.shape[1])))]))
        u, v = both.detach().chunk(2)
        return self.cmp(torch.cat([(u - v).abs(), u * v], dim=1)).squeeze(1)


def evaluate(model, data):
    model.eval()
    a, b, y = data
    with torch.no_grad():
        return ((model(a, b) > 0).float() == y).float().mean().item()


def main():
    torch.manual_seed(66)
    train, dev = pairs(5000, 1), pairs(800, 2)
    model = Siamese()
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    bce = nn.BCEWithLogitsLoss()
    best = 0.0
    for epoch in range(8):
        model.train()
        losses = []
        for idx in torch.randperm(len(train[2])).split(50):
            loss = bce(model(train[0][idx], train[1][idx]), train[2][idx])
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            losses.append(loss.item())
        acc = evaluate(model, dev)
        best = max(best, acc)
        print(f"epoch {epoch} loss {sum(losses) / len(losses):.4f} dev {acc:.4f}")
    print(f"dev accuracy: last {acc:.4f}, best {best:.4f}")


if __name__ == "__main__":
    main()
