"""Language identification from short character strings, streamed from one text file per language (HF datasets)."""
import argparse
import os
import random

os.environ.setdefault("HF_HUB_OFFLINE", "1")
import torch
from datasets import IterableDataset
from torch import nn
from torch.utils.data import DataLoader

LANGS = ("aru", "belo", "cinta", "duro", "esk", "fala")
ALPHABET = "abcdefghijklmnopqrstuvwxyz "
LENGTH = 24


def bigram_model(seed):
    rng = random.Random(seed)
    shared = random.Random(0)
    table = {}
    for c in ALPHABET:
        table[c] = [0.6 * shared.expovariate(1.0) + 0.8 * rng.expovariate(1.0) ** 2 for _ in ALPHABET]
    return table


def speak(table, rng):
    s = rng.choice(ALPHABET)
    while len(s) < LENGTH:
        s += rng.choices(ALPHABET, weights=table[s[-1]])[0]
    return s


def read_files(langs, per_lang, seed):
    for lang in langs:
        label = LANGS.index(lang)
        table, rng = bigram_model(label + 1), random.Random(seed * 100 + label)
        for _ in range(per_lang):
            yield {"text": speak(table, rng), "label": label}


def collate(rows):
    x = torch.tensor([[ALPHABET.index(c) for c in r["text"]] for r in rows])
    return x, torch.tensor([r["label"] for r in rows])


class CharCNN(nn.Module):
    def __init__(self, dim=24, ch=64):
        super().__init__()
        self.embed = nn.Embedding(len(ALPHABET), dim)
        self.conv = nn.Conv1d(dim, ch, 2)
        self.fc = nn.Sequential(nn.ReLU(), nn.Dropout(0.2), nn.Linear(ch, len(LANGS)))

    def forward(self, x):
        h = torch.relu(self.conv(self.embed(x).transpose(1, 2)))
        return self.fc(h.mean(-1))


@torch.no_grad()
def evaluate(model, batches):
    model.eval()
    hit = sum((model(x).argmax(-1) == y).sum().item() for x, y in batches)
    model.train()
    return hit / sum(len(y) for _, y in batches)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=6)
    ap.add_argument("--batch-size", type=int, default=32)
    ap.add_argument("--lr", type=float, default=3e-3)
    ap.add_argument("--per-lang", type=int, default=1000)
    ap.add_argument("--shuffle-buffer", type=int, default=100)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()

    torch.manual_seed(args.seed)
    stream = IterableDataset.from_generator(
        read_files, gen_kwargs={"langs": LANGS, "per_lang": args.per_lang, "seed": 1})
    stream = stream.shuffle(seed=args.seed, buffer_size=args.shuffle_buffer)
    held_out = list(read_files(LANGS, 100, seed=2))
    val = [collate(held_out[i:i + 100]) for i in range(0, len(held_out), 100)]

    model = CharCNN()
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr)
    loss_fn = nn.CrossEntropyLoss()
    for epoch in range(args.epochs):
        stream.set_epoch(epoch)
        losses = []
        for x, y in DataLoader(stream, batch_size=args.batch_size, collate_fn=collate):
            loss = loss_fn(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        print(f"epoch {epoch}: {len(losses)} steps, train loss {sum(losses) / len(losses):.3f}, val acc {evaluate(model, val):.3f}")


if __name__ == "__main__":
    main()
