"""BiLSTM tagger for addresses in free text (synthetic mails). Span F1 at the end."""
import random

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence, pack_padded_sequence, pad_packed_sequence
from torch.utils.data import DataLoader, Dataset

TAGS = ["O", "B-STREET", "I-STREET", "B-CITY", "I-CITY", "B-ZIP"]
TAG2ID = {t: i for i, t in enumerate(TAGS)}
PAD_TOKEN = 0
UNK_TOKEN = 1
PAD_TAG = 0

FILLER = ("please send the parcel to our office in reply to your order from last week we moved and the "
          "old address is no longer valid thanks for your help with the invoice number best regards at near "
          "new main large park hill river stone green market").split()
STREET = "oak elm stone river hill park green maple market mill church".split()
KIND = "street road lane avenue square".split()
CITY1 = "new port saint upper lower north".split()
CITY2 = "haven ville burg main field bridge stone".split()


def make_sentence(rng):
    toks, tags = [], []

    def filler(k):
        for _ in range(k):
            toks.append(rng.choice(FILLER))
            tags.append("O")

    filler(rng.randint(3, 14))
    if rng.random() < 0.15:
        return toks, tags
    for _ in range(rng.randint(1, 2)):
        parts = rng.sample(["street", "city", "zip"], rng.randint(1, 3))
        for p in parts:
            if p == "street":
                body = [rng.choice(STREET) for _ in range(rng.randint(1, 2))] + [rng.choice(KIND)]
                toks.extend(body)
                tags.extend(["B-STREET"] + ["I-STREET"] * (len(body) - 1))
            elif p == "city":
                body = [rng.choice(CITY1), rng.choice(CITY2)]
                toks.extend(body)
                tags.extend(["B-CITY", "I-CITY"])
            else:
                toks.append(str(rng.randint(10000, 99999)))
                tags.append("B-ZIP")
        if rng.random() < 0.3:
            toks.append(str(rng.randint(100, 9999)))
            tags.append("O")
        filler(rng.randint(3, 12))
    return toks, tags


def shape(tok):
    return f"<num{len(tok)}>" if tok.isdigit() else tok


class Mails(Dataset):
    def __init__(self, n, rng, vocab=None):
        raw = [make_sentence(rng) for _ in range(n)]
        if vocab is None:
            vocab = {}
            for toks, _ in raw:
                for t in toks:
                    vocab.setdefault(shape(t), len(vocab) + 2)
        self.vocab = vocab
        self.rows = [([vocab.get(shape(t), UNK_TOKEN) for t in toks], [TAG2ID[g] for g in tags]) for toks, tags in raw]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        x, y = self.rows[i]
        return torch.tensor(x), torch.tensor(y)


def collate(batch):
    xs, ys = zip(*batch)
    lens = torch.tensor([len(x) for x in xs])
    x = pad_sequence(xs, batch_first=True, padding_value=PAD_TOKEN)
    y = pad_sequence(ys, batch_first=True, padding_value=PAD_TAG)
    return x, y, lens


class Tagger(nn.Module):
    def __init__(self, n_words, dim=48, hidden=64):
        super().__init__()
        self.emb = nn.Embedding(n_words, dim, padding_idx=PAD_TOKEN)
        self.drop = nn.Dropout(0.2)
        self.rnn = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, len(TAGS))

    def forward(self, x, lens):
        e = self.drop(self.emb(x))
        packed = pack_padded_sequence(e, lens, batch_first=True, enforce_sorted=False)
        h, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True, total_length=x.size(1))
        return self.out(self.drop(h))


def spans(tags):
    out, start, kind = set(), None, None
    for i, t in enumerate(list(tags) + ["O"]):
        if start is not None and not t == f"I-{kind}":
            out.add((start, i, kind))
            start = None
        if t.startswith("B-"):
            start, kind = i, t[2:]
    return out


@torch.no_grad()
def span_f1(model, loader):
    model.eval()
    tp = n_pred = n_true = 0
    for x, y, lens in loader:
        pred = model(x, lens).argmax(-1)
        for p, g, k in zip(pred.tolist(), y.tolist(), lens.tolist()):
            a = spans([TAGS[i] for i in p[:k]])
            b = spans([TAGS[i] for i in g[:k]])
            tp, n_pred, n_true = tp + len(a & b), n_pred + len(a), n_true + len(b)
    return 2 * tp / max(1, n_pred + n_true)


def main(seed=0, epochs=5):
    torch.manual_seed(seed)
    rng = random.Random(seed)
    train = Mails(4000, rng)
    dev = Mails(600, rng, vocab=train.vocab)
    train_dl = DataLoader(train, batch_size=32, shuffle=True, collate_fn=collate)
    dev_dl = DataLoader(dev, batch_size=128, collate_fn=collate)
    model = Tagger(len(train.vocab) + 2)
    criterion = nn.CrossEntropyLoss(ignore_index=PAD_TAG)
    n_cls = len(TAGS)
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(epochs):
        model.train()
        tot = 0.0
        for x, y, lens in train_dl:
            logits = model(x, lens)
            loss = criterion(logits.view(-1, n_cls), y.view(-1))
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot += loss.item()
        print(f"epoch {epoch} loss {tot / len(train_dl):.4f} dev span F1 {span_f1(model, dev_dl):.4f}")
    print(f"dev span F1 {span_f1(model, dev_dl):.4f}")


if __name__ == "__main__":
    main()
