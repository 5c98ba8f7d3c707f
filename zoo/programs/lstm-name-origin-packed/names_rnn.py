# Guess the (made-up) language of a surname with an LSTM over its characters.
import random
import string

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

SEED = 7
random.seed(SEED)
torch.manual_seed(SEED)

PAD = 0
CHAR2ID = {c: i + 1 for i, c in enumerate(string.ascii_lowercase + "'-")}

LANGUAGES = {
    "norvan": dict(onset="b br d f g gr h k l m n r s sk st t th v".split(), nucleus="a e i o u oe".split(), coda=["", "n", "r", "rd", "ld", "sen"]),
    "melian": dict(onset="b c d f g l m n p r s t v z".split(), nucleus="a e i o ia io".split(), coda=["", "", "", "n", "ll"]),
    "tazhik": dict(onset="b d g k kh m n q r s sh t z zh".split(), nucleus="a i u aa".split(), coda=["", "", "r", "n", "k", "d"]),
    "keltar": dict(onset="b c d dh f g gw l ll m n p r s t".split(), nucleus="a e i o u w y".split(), coda=["", "n", "r", "th", "dd", "nn"]),
    "hokusu": dict(onset="h k m n r s sh t ts w y z".split(), nucleus="a e i o u".split(), coda=["", "", "", "", "n"]),
    "ostrov": dict(onset="b d g k kr m n p pr r s sl t tr v z".split(), nucleus="a e i o u".split(), coda=["", "", "v", "k", "sk", "n"]),
}
LABELS = sorted(LANGUAGES)


def invent_name(lang):
    phon = LANGUAGES[lang]
    n_syll = random.choice([1, 2, 2, 3, 3, 4])
    name = "".join(random.choice(phon["onset"]) + random.choice(phon["nucleus"]) + random.choice(phon["coda"]) for _ in range(n_syll))
    if random.random() < 0.08:
        name = name[: len(name) // 2] + "'" + name[len(name) // 2 :]
    return name


def build_corpus(per_language):
    owner = {}
    ambiguous = set()
    for lang in LABELS:
        for _ in range(per_language):
            name = invent_name(lang)
            if owner.setdefault(name, lang) != lang:
                ambiguous.add(name)
    return [(n, l) for n, l in owner.items() if n not in ambiguous]


class NameDataset(Dataset):
    def __init__(self, pairs):
        self.pairs = pairs

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, i):
        name, lang = self.pairs[i]
        return torch.tensor([CHAR2ID[c] for c in name]), LABELS.index(lang)


def pad_batch(samples):
    seqs, ys = zip(*samples)
    lengths = torch.tensor([len(s) for s in seqs])
    return pad_sequence(seqs, batch_first=True, padding_value=PAD), lengths, torch.tensor(ys)


class NameLSTM(nn.Module):
    def __init__(self, n_chars, n_out, emb=16, hidden=32):
        super().__init__()
        self.emb = nn.Embedding(n_chars, emb, padding_idx=PAD)
        self.lstm = nn.LSTM(emb, hidden, batch_first=True, bidirectional=True)
        self.drop = nn.Dropout(0.2)
        self.out = nn.Linear(2 * hidden, n_out)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(self.emb(x), lengths, batch_first=True, enforce_sorted=False)
        _, (h, _) = self.lstm(packed)
        return self.out(self.drop(torch.cat([h[0], h[1]], dim=1)))


def accuracy(net, loader):
    net.eval()
    hits = total = 0
    with torch.inference_mode():
        for x, lengths, y in loader:
            hits += (net(x, lengths).argmax(-1) == y).sum().item()
            total += len(y)
    net.train()
    return hits / total


corpus = build_corpus(per_language=550)
random.shuffle(corpus)
n = len(corpus)
train_ds, dev_ds, test_ds = (NameDataset(p) for p in (corpus[: int(0.7 * n)], corpus[int(0.7 * n) : int(0.8 * n)], corpus[int(0.8 * n) :]))
train_dl = DataLoader(train_ds, batch_size=32, shuffle=True, collate_fn=pad_batch, drop_last=True)
dev_dl = DataLoader(dev_ds, batch_size=128, collate_fn=pad_batch)
test_dl = DataLoader(test_ds, batch_size=128, collate_fn=pad_batch)
print(len(train_ds), len(dev_ds), len(test_ds), "names")

net = NameLSTM(len(CHAR2ID) + 1, len(LABELS))
optim = torch.optim.AdamW(net.parameters(), lr=4e-3, weight_decay=1e-3)
sched = torch.optim.lr_scheduler.ReduceLROnPlateau(optim, mode="max", factor=0.5, patience=1)
loss_fn = nn.CrossEntropyLoss()

best_acc = 0.0
for epoch in range(6):
    running = 0.0
    for x, lengths, y in train_dl:
        optim.zero_grad()
        loss = loss_fn(net(x, lengths), y)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optim.step()
        running += loss.item()
    dev_acc = accuracy(net, dev_dl)
    sched.step(dev_acc)
    if dev_acc > best_acc:
        best_acc = dev_acc
        torch.save(net.state_dict(), "best_names.pt")
    print(f"[{epoch}] train loss {running / len(train_dl):.3f}  dev acc {dev_acc:.3f}")

net.load_state_dict(torch.load("best_names.pt"))
print(f"dev {best_acc:.3f} -> test acc = {accuracy(net, test_dl):.4f}")
