import torch
import torch.nn as nn
import torch.optim as optim

from data_gen import corpus

torch.manual_seed(2024)

IGNORE = -100
TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-ORG", "I-ORG"]
tag2ix = {t: i for i, t in enumerate(TAGS)}


def split_pieces(word):
    """Poor man's subwords: chunks of at most four letters, continuation chunks start with ##."""
    chunks = [word[i : i + 4] for i in range(0, len(word), 4)]
    return [chunks[0]] + ["##" + c for c in chunks[1:]]


def encode(words, tags, piece2ix):
    # only the first piece of a word carries its tag
    ids, labels = [], []
    for w, t in zip(words, tags):
        pieces = split_pieces(w)
        ids += [piece2ix.get(p, 1) for p in pieces]
        labels += [tag2ix[t]] + [IGNORE] * (len(pieces) - 1)
    return ids, labels


def to_batch(examples):
    longest = max(len(i) for i, _ in examples)
    x = torch.full((len(examples), longest), 0)
    y = torch.full((len(examples), longest), IGNORE)
    for k, (ids, labels) in enumerate(examples):
        x[k, : len(ids)] = torch.tensor(ids)
        y[k, : len(labels)] = torch.tensor(labels)
    return x, y


class BiLSTMTagger(nn.Module):
    def __init__(self, vocab_size, tagset_size, embedding_dim=32, hidden_dim=40):
        super().__init__()
        self.word_embeds = nn.Embedding(vocab_size, embedding_dim, padding_idx=0)
        self.dropout = nn.Dropout(0.25)
        self.lstm = nn.LSTM(embedding_dim, hidden_dim, bidirectional=True, batch_first=True)
        self.hidden2tag = nn.Linear(2 * hidden_dim, tagset_size)

    def forward(self, x):
        lengths = (x != 0).sum(1)
        emb = self.dropout(self.word_embeds(x))
        packed = nn.utils.rnn.pack_padded_sequence(emb, lengths, batch_first=True, enforce_sorted=False)
        out, _ = self.lstm(packed)
        out, _ = nn.utils.rnn.pad_packed_sequence(out, batch_first=True, total_length=x.size(1))
        return self.hidden2tag(self.dropout(out))


def spans(tags):
    found, start, kind = set(), None, None
    for i, t in enumerate(tags + ["O"]):
        if start is not None and t != "I-" + kind:
            found.add((start, i, kind))
            start = None
        if t.startswith("B-"):
            start, kind = i, t[2:]
    return found


def span_f1(model, examples):
    model.eval()
    tp = n_pred = n_gold = 0
    with torch.no_grad():
        for i in range(0, len(examples), 100):
            x, y = to_batch(examples[i : i + 100])
            pred = model(x).argmax(-1)
            for p, g in zip(pred, y):
                keep = g != IGNORE
                ps = spans([TAGS[j] for j in p[keep].tolist()])
                gs = spans([TAGS[j] for j in g[keep].tolist()])
                tp += len(ps & gs)
                n_pred += len(ps)
                n_gold += len(gs)
    precision, recall = tp / max(n_pred, 1), tp / n_gold
    return 2 * precision * recall / max(precision + recall, 1e-9)


sents = corpus(1000, seed=torch.initial_seed())
train_s, dev_s, test_s = sents[:500], sents[500:650], sents[650:]

piece2ix = {"<pad>": 0, "<unk>": 1}
for words, _ in train_s:
    for w in words:
        for p in split_pieces(w):
            piece2ix.setdefault(p, len(piece2ix))

train_ex = [encode(w, t, piece2ix) for w, t in train_s]
dev_ex = [encode(w, t, piece2ix) for w, t in dev_s]
test_ex = [encode(w, t, piece2ix) for w, t in test_s]

model = BiLSTMTagger(len(piece2ix), len(TAGS))
loss_function = nn.CrossEntropyLoss(ignore_index=IGNORE)
optimizer = optim.Adam(model.parameters(), lr=0.004)

for epoch in range(9):
    model.train()
    perm = torch.randperm(len(train_ex)).tolist()
    total = 0
    for i in range(0, len(perm), 20):
        x, y = to_batch([train_ex[j] for j in perm[i : i + 20]])
        model.zero_grad()
        tag_scores = model(x)
        loss = loss_function(tag_scores.view(-1, len(TAGS)), y.view(-1))
        loss.backward()
        optimizer.step()
        total += loss.item()
    print("epoch", epoch, "loss %.4f" % (total / (len(perm) / 20)), "dev span F1 %.4f" % span_f1(model, dev_ex))

print("TEST span F1: %.4f" % span_f1(model, test_ex))
