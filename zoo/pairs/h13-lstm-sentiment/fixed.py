import logging
from collections import Counter
from functools import partial

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader

from reviews import make_reviews

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger("sentiment")

PAD, UNK = 0, 1


def build_vocab(texts, min_freq=2):
    c = Counter(w for t in texts for w in t.split())
    return {w: i + 2 for i, (w, n) in enumerate(c.most_common()) if n >= min_freq}


def collate(batch, vocab):
    ids = [torch.tensor([vocab.get(w, UNK) for w in t.split()]) for t, _ in batch]
    lengths = torch.tensor([len(x) for x in ids])
    labels = torch.tensor([y for _, y in batch], dtype=torch.float32)
    return pad_sequence(ids, batch_first=True, padding_value=PAD), lengths, labels


class SentimentLSTM(nn.Module):
    def __init__(self, vocab_size, emb=32, hidden=48):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, emb, padding_idx=PAD)
        self.lstm = nn.LSTM(emb, hidden, batch_first=True, bidirectional=True)
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(2 * hidden, 1)

    def forward(self, ids, lengths):
        packed = pack_padded_sequence(self.emb(ids), lengths, batch_first=True, enforce_sorted=False)
        _, (h, _) = self.lstm(packed)
        return self.head(self.drop(torch.cat([h[-2], h[-1]], dim=1))).squeeze(-1)


def accuracy(model, loader):
    model.eval()
    hit = n = 0
    with torch.no_grad():
        for ids, lengths, y in loader:
            hit += ((model(ids, lengths) > 0).float() == y).sum().item()
            n += y.numel()
    return hit / n


def main():
    torch.manual_seed(0)
    train, val, test = make_reviews(3000, 1), make_reviews(500, 2), make_reviews(500, 3)
    # the generator can repeat short reviews: keep the held-out sets disjoint from training
    seen = {t for t, _ in train}
    val = [r for r in val if r[0] not in seen]
    test = [r for r in test if r[0] not in seen]
    vocab = build_vocab([t for t, _ in train])
    log.info("vocab %d, train %d, val %d, test %d", len(vocab), len(train), len(val), len(test))
    fn = partial(collate, vocab=vocab)
    dl = DataLoader(train, batch_size=64, shuffle=True, collate_fn=fn)
    val_dl = DataLoader(val, batch_size=256, collate_fn=fn)
    test_dl = DataLoader(test, batch_size=256, collate_fn=fn)

    model = SentimentLSTM(len(vocab) + 2)
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    crit = nn.BCEWithLogitsLoss()
    best = 0.0
    for epoch in range(6):
        model.train()
        tot = 0.0
        for ids, lengths, y in dl:
            opt.zero_grad()
            loss = crit(model(ids, lengths), y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            tot += loss.item()
        acc = accuracy(model, val_dl)
        log.info("epoch %d loss %.4f val acc %.4f", epoch, tot / len(dl), acc)
        if acc >= best:
            best = acc
            torch.save(model.state_dict(), "best.pt")
    model.load_state_dict(torch.load("best.pt"))
    log.info("test acc %.4f", accuracy(model, test_dl))


if __name__ == "__main__":
    main()
