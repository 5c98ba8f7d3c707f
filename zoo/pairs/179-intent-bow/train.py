"""Intent classification of short synthetic utterances with a GRU encoder over word embeddings."""
import random
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset


@dataclass
class Config:
    n_train: int = 3000
    n_val: int = 600
    dim: int = 48
    hidden: int = 64
    epochs: int = 8
    batch_size: int = 64
    lr: float = 3e-3
    label_noise: float = 0.05
    seed: int = 11


TEMPLATES = {
    "play_music": ["play {thing} by {name}", "put on some {thing}", "i want to hear {name}", "{name} on the speaker please"],
    "set_alarm": ["wake me up at {num}", "set an alarm for {num}", "alarm at {num} {day}", "i have to get up at {num} {day}"],
    "weather": ["will it rain {day}", "what is the forecast for {day}", "how hot is it in {place}", "weather in {place} {day}"],
    "call": ["call {name}", "phone {name} {day}", "ring {name} at {num}", "get {name} on the line"],
    "book_table": ["book a table in {place} at {num}", "reserve dinner for {num} {day}", "find a restaurant in {place}", "table for {num} please"],
}
SLOTS = {
    "thing": "jazz rock piano drums folk opera".split(),
    "name": "anna omar lena victor mia chen paul rosa".split(),
    "num": "two three four five six seven eight nine".split(),
    "day": "today tomorrow monday friday sunday tonight".split(),
    "place": "paris lima oslo cairo tokyo rome".split(),
}
FILLERS = "um please now hey could you maybe well so okay".split()
INTENTS = list(TEMPLATES)


def make_utterance(rng):
    label = rng.randrange(len(INTENTS))
    words = rng.choice(TEMPLATES[INTENTS[label]]).split()
    words = [rng.choice(SLOTS[w[1:-1]]) if w.startswith("{") else w for w in words]
    for _ in range(rng.randint(0, 4)):
        words.insert(rng.randint(0, len(words)), rng.choice(FILLERS))
    return words, label


class Utterances(Dataset):
    def __init__(self, rows, vocab):
        self.ids = [torch.tensor([vocab.get(w, 1) for w in words]) for words, _ in rows]
        self.labels = torch.tensor([label for _, label in rows])

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return self.ids[i], self.labels[i]


def collate(batch):
    ids, labels = zip(*batch)
    lengths = torch.tensor([len(i) for i in ids])
    return pad_sequence(ids, batch_first=True), lengths, torch.stack(labels)


def make_loader(dataset, cfg, training):
    return DataLoader(dataset, cfg.batch_size, shuffle=True, drop_last=training, collate_fn=collate)


class IntentModel(nn.Module):
    def __init__(self, cfg, vocab_size):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, cfg.dim, padding_idx=0)
        self.gru = nn.GRU(cfg.dim, cfg.hidden, batch_first=True, bidirectional=True)
        self.head = nn.Sequential(nn.Dropout(0.2), nn.Linear(2 * cfg.hidden, len(INTENTS)))

    def forward(self, ids, lengths):
        packed = pack_padded_sequence(self.embed(ids), lengths, batch_first=True, enforce_sorted=False)
        _, h = self.gru(packed)
        return self.head(torch.cat([h[0], h[1]], -1))


@torch.no_grad()
def predict(model, loader):
    model.eval()
    return torch.cat([model(ids, lengths).argmax(-1) for ids, lengths, _ in loader])


def macro_f1(pred, true):
    scores = []
    for c in range(len(INTENTS)):
        tp = ((pred == c) & (true == c)).sum().item()
        scores.append(2 * tp / max(1, (pred == c).sum().item() + (true == c).sum().item()))
    return sum(scores) / len(scores)


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    rng = random.Random(cfg.seed)
    rows = [make_utterance(rng) for _ in range(cfg.n_train + cfg.n_val)]
    train_rows, val_rows = rows[:cfg.n_train], rows[cfg.n_train:]
    train_rows = [(w, rng.randrange(len(INTENTS)) if rng.random() < cfg.label_noise else y) for w, y in train_rows]
    vocab = {w: i + 2 for i, w in enumerate(sorted({w for words, _ in train_rows for w in words}))}
    train_set, val_set = Utterances(train_rows, vocab), Utterances(val_rows, vocab)
    train_loader = make_loader(train_set, cfg, training=True)
    val_loader = make_loader(val_set, cfg, training=False)

    model = IntentModel(cfg, len(vocab) + 2)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    for epoch in range(cfg.epochs):
        model.train()
        total = 0.0
        for ids, lengths, y in train_loader:
            loss = F.cross_entropy(model(ids, lengths), y)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            total += loss.item()
        f1 = macro_f1(predict(model, val_loader), val_set.labels)
        print(f"epoch {epoch} loss {total / len(train_loader):.4f} val macro-f1 {f1:.4f}")

    print(f"final val macro-f1 {macro_f1(predict(model, val_loader), val_set.labels):.4f}")


if __name__ == "__main__":
    main()
