# Part-of-speech tagging on a toy grammar, BiLSTM, variable-length sentences.
import random

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader

random.seed(0)
torch.manual_seed(0)

LEX = {
    "DET": ["the", "a", "this", "every"],
    "ADJ": ["red", "old", "light", "cold", "open", "quiet", "fast"],
    "NOUN": ["dog", "light", "run", "house", "cold", "walk", "play", "river", "cat"],
    "VERB": ["run", "walk", "play", "open", "light", "see", "hear"],
    "ADV": ["fast", "quietly", "often", "never"],
    "ADP": ["in", "on", "near", "under"],
}


def noun_phrase():
    out = [(random.choice(LEX["DET"]), "DET")]
    for _ in range(random.choice([0, 1, 1, 2])):
        out.append((random.choice(LEX["ADJ"]), "ADJ"))
    return out + [(random.choice(LEX["NOUN"]), "NOUN")]


def sentence():
    s = noun_phrase()
    if random.random() < 0.4:
        s.append((random.choice(LEX["ADV"]), "ADV"))
    s.append((random.choice(LEX["VERB"]), "VERB"))
    if random.random() < 0.7:
        s += noun_phrase()
    for _ in range(random.choice([0, 0, 1, 2])):
        s += [(random.choice(LEX["ADP"]), "ADP")] + noun_phrase()
    return s


train_sents = [sentence() for _ in range(2400)]
test_sents = [sentence() for _ in range(500)]

words = sorted({w for s in train_sents for w, _ in s})
tags = sorted({t for s in train_sents for _, t in s})
PAD = 0
word2id = {w: i for i, w in enumerate(words, start=1)}
tag2id = {t: i for i, t in enumerate(tags, start=1)}
id2tag = {i: t for t, i in tag2id.items()}


def encode(sents):
    return [(torch.tensor([word2id[w] for w, _ in s]), torch.tensor([tag2id[t] for _, t in s])) for s in sents]


def collate(batch):
    xs, ys = zip(*batch)
    lens = torch.tensor([len(x) for x in xs])
    return pad_sequence(xs, True, PAD), pad_sequence(ys, True, PAD), lens


class Tagger(nn.Module):
    def __init__(self, n_words, n_tags):
        super().__init__()
        self.emb = nn.Embedding(n_words, 20, padding_idx=PAD)
        self.lstm = nn.LSTM(20, 24, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(48, n_tags)

    def forward(self, x, lens):
        p = pack_padded_sequence(self.emb(x), lens, batch_first=True, enforce_sorted=False)
        h, _ = pad_packed_sequence(self.lstm(p)[0], batch_first=True)
        return self.fc(h)


train_dl = DataLoader(encode(train_sents), batch_size=32, shuffle=True, collate_fn=collate)
test_dl = DataLoader(encode(test_sents), batch_size=100, collate_fn=collate)

model = Tagger(len(words) + 1, len(tags) + 1)
optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
criterion = nn.CrossEntropyLoss(ignore_index=PAD)

for epoch in range(7):
    model.train()
    total = 0.0
    for x, y, lens in train_dl:
        optimizer.zero_grad()
        out = model(x, lens)
        loss = criterion(out.reshape(-1, out.size(-1)), y.reshape(-1))
        loss.backward()
        optimizer.step()
        total += loss.item()

    model.eval()
    right, count = 0, 0
    with torch.no_grad():
        for x, y, lens in test_dl:
            pred = model(x, lens).argmax(-1)
            real = torch.arange(x.size(1))[None] < lens[:, None]
            right += (pred[real] == y[real]).sum().item()
            count += int(real.sum())
    print(f"epoch {epoch + 1} loss {total / len(train_dl):.4f} test token accuracy {right / count:.4f}")
x, y, lens = next(iter(test_dl))
print(" ".join(f"{w}/{id2tag.get(int(t), '?')}" for (w, _), t in zip(test_sents[0], model(x, lens).argmax(-1)[0])))
