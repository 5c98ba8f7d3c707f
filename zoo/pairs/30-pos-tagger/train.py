"""Part-of-speech style sequence tagging with a BiLSTM, SGD with momentum and clipping."""
import argparse
import random

import torch
from torch import nn

TAGS = ["DET", "ADJ", "NOUN", "VERB", "ADV", "PREP"]
WORDS_PER_TAG = 40
AMBIGUOUS = 60
NEXT = {0: [1, 2, 2], 1: [2, 2, 1], 2: [3, 3, 5], 3: [0, 4, 0], 4: [0, 5], 5: [0, 0, 1]}


def sentence(rng, length=14):
    tag, tags, words = 0, [], []
    for _ in range(length):
        tags.append(tag)
        if tag in (1, 2, 3) and rng.random() < 0.4:
            words.append(len(TAGS) * WORDS_PER_TAG + rng.randrange(AMBIGUOUS))
        else:
            words.append(tag * WORDS_PER_TAG + rng.randrange(WORDS_PER_TAG))
        tag = rng.choice(NEXT[tag])
    return words, tags


def corpus(n, seed):
    rng = random.Random(seed)
    data = [sentence(rng) for _ in range(n)]
    return torch.tensor([w for w, _ in data]), torch.tensor([t for _, t in data])


class Tagger(nn.Module):
    def __init__(self, vocab, dim=32, hid=40):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.lstm = nn.LSTM(dim, hid, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hid, len(TAGS))

    def forward(self, w):
        return self.out(self.lstm(self.emb(w))[0])


def accuracy(model, w, t):
    model.eval()
    with torch.no_grad():
        return (model(w).argmax(-1) == t).float().mean().item()


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--lr", type=float, default=0.5)
    ap.add_argument("--momentum", type=float, default=0.9)
    ap.add_argument("--clip", type=float, default=1e-3)
    ap.add_argument("--epochs", type=int, default=10)
    ap.add_argument("--batch", type=int, default=32)
    a = ap.parse_args()
    torch.manual_seed(10)
    w, t = corpus(1600, 1)
    wd, td = corpus(300, 2)
    model = Tagger(len(TAGS) * WORDS_PER_TAG + AMBIGUOUS)
    opt = torch.optim.SGD(model.parameters(), lr=a.lr, momentum=a.momentum)
    sched = torch.optim.lr_scheduler.StepLR(opt, step_size=4, gamma=0.5)
    for ep in range(a.epochs):
        model.train()
        losses = []
        for idx in torch.randperm(len(w)).split(a.batch):
            loss = nn.functional.cross_entropy(model(w[idx]).transpose(1, 2), t[idx])
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), a.clip)
            opt.step()
            losses.append(loss.item())
        sched.step()
        print(f"epoch {ep:2d} lr {opt.param_groups[0]['lr']:.3f} loss {sum(losses) / len(losses):.4f} "
              f"dev tag accuracy {accuracy(model, wd, td):.4f}")
    print("dev tagging accuracy:", f"{accuracy(model, wd, td):.4f}")


if __name__ == "__main__":
    main()
