import random

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

random.seed(0)
torch.manual_seed(0)

POS = "great lovely superb warm funny moving brilliant sharp charming fresh".split()
NEG = "dull awful bland messy boring clumsy lifeless stale weak tedious".split()
FILL = ("the a film plot actor scene music was is with and then story of in "
        "it had some very camera ending first second part").split()


def make_review(label):
    n = random.randint(5, 30)
    words = [random.choice(FILL) for _ in range(n)]
    good, bad = (POS, NEG) if label == 1 else (NEG, POS)
    for _ in range(random.randint(2, 3)):
        words.insert(random.randrange(len(words) + 1), random.choice(good))
    if random.random() < 0.5:
        words.insert(random.randrange(len(words) + 1), random.choice(bad))
    return words


class Reviews(Dataset):
    def __init__(self, n, vocab):
        self.items = []
        for _ in range(n):
            y = random.randint(0, 1)
            self.items.append((torch.tensor([vocab[w] for w in make_review(y)]), y))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(batch):
    batch = sorted(batch, key=lambda item: len(item[0]), reverse=True)
    labels = torch.tensor([y for _, y in batch])
    lengths = torch.tensor([len(x) for x, _ in batch])
    tokens = pad_sequence([x for x, _ in batch], batch_first=True, padding_value=0)
    return tokens, lengths, labels


class SentimentLSTM(nn.Module):
    def __init__(self, vocab_size, dim=32, hidden=48):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, dim, padding_idx=0)
        self.lstm = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(2 * hidden, 2)

    def forward(self, tokens, lengths):
        packed = pack_padded_sequence(self.emb(tokens), lengths, batch_first=True)
        _, (h, _) = self.lstm(packed)
        return self.fc(torch.cat([h[-2], h[-1]], dim=1))


def evaluate(model, loader):
    model.eval()
    hits = total = 0
    with torch.no_grad():
        for tokens, lengths, labels in loader:
            hits += (model(tokens, lengths).argmax(1) == labels).sum().item()
            total += len(labels)
    return hits / total


vocab = {w: i + 1 for i, w in enumerate(FILL + POS + NEG)}
train_loader = DataLoader(Reviews(2000, vocab), batch_size=32, shuffle=True, collate_fn=collate)
test_loader = DataLoader(Reviews(500, vocab), batch_size=64, collate_fn=collate)

model = SentimentLSTM(len(vocab) + 1)
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
criterion = nn.CrossEntropyLoss()

for epoch in range(1, 5):
    model.train()
    running = 0.0
    for tokens, lengths, labels in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(tokens, lengths), labels)
        loss.backward()
        optimizer.step()
        running += loss.item()
    print(f"epoch {epoch} loss {running / len(train_loader):.4f} test acc {evaluate(model, test_loader):.3f}")
