"""Three yes/no questions about the same support ticket: one GRU encoder, one head per question."""
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

TASKS = ("urgent", "refund", "negative")
CUES = {
    "urgent": ["asap", "immediately", "deadline", "blocked", "outage"],
    "refund": ["refund", "money", "charge", "invoice", "paid"],
    "negative": ["terrible", "angry", "worst", "useless", "broken"],
}
NEUTRAL = [f"w{i}" for i in range(60)]
VOCAB = {w: i + 1 for i, w in enumerate(sum(CUES.values(), []) + ["not"] + NEUTRAL)}
MAX_LEN = 18


def ticket(rng):
    words = [rng.choice(NEUTRAL) for _ in range(rng.randint(8, MAX_LEN - 6))]
    labels = []
    for task in TASKS:
        positive = rng.random() < 0.5
        if positive:
            words.insert(rng.randrange(len(words)), rng.choice(CUES[task]))
        elif rng.random() < 0.4:
            at = rng.randrange(len(words))
            words[at:at] = ["not", rng.choice(CUES[task])]
        labels.append(float(positive))
    ids = [VOCAB[w] for w in words][:MAX_LEN]
    return ids + [0] * (MAX_LEN - len(ids)), labels


def build(n, seed):
    rng = random.Random(seed)
    rows = [ticket(rng) for _ in range(n)]
    return torch.tensor([r[0] for r in rows]), torch.tensor([r[1] for r in rows])


class TicketModel(nn.Module):
    def __init__(self, dim=32, hidden=32):
        super().__init__()
        self.embedding = nn.Embedding(len(VOCAB) + 1, dim, padding_idx=0)
        self.encoder = nn.GRU(dim, hidden, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(0.1)
        self.heads = nn.ModuleDict({t: nn.Linear(2 * hidden, 1) for t in TASKS})

    def forward(self, tokens):
        states, _ = self.encoder(self.embedding(tokens))
        states = states.masked_fill((tokens == 0).unsqueeze(-1), float("-inf"))
        pooled = self.dropout(states.max(dim=1).values)
        return {task: head(pooled).squeeze(-1) for task, head in self.heads.items()}


class Trainer:
    def __init__(self, model, lr=3e-3, patience=4):
        self.model = model
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)
        self.patience = patience

    def loss(self, out, y):
        return sum(F.binary_cross_entropy_with_logits(out[t], y[:, i]) for i, t in enumerate(TASKS)) / len(TASKS)

    @torch.no_grad()
    def evaluate(self, x, y):
        self.model.eval()
        out = self.model(x)
        acc = {t: ((out[t] > 0) == (y[:, i] > 0.5)).float().mean().item() for i, t in enumerate(TASKS)}
        loss = self.loss(out, y).item()
        self.model.train()
        return loss, acc

    def fit(self, train, val, epochs, batch_size=32):
        x, y = train
        best, bad = float("inf"), 0
        for epoch in range(epochs):
            total = 0.0
            for idx in torch.randperm(len(x)).split(batch_size):
                loss = self.loss(self.model(x[idx]), y[idx])
                self.opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                self.opt.step()
                total += loss.item() * len(idx)
            val_loss, acc = self.evaluate(*val)
            print(f"epoch {epoch} train {total / len(x):.4f} val {val_loss:.4f} "
                  + " ".join(f"{t}={a:.3f}" for t, a in acc.items()))
            if val_loss < best - 1e-4:
                best, bad = val_loss, 0
            else:
                bad += 1
                if bad >= self.patience:
                    print("early stop")
                    break


if __name__ == "__main__":
    torch.manual_seed(21)
    Trainer(TicketModel()).fit(build(3000, 0), build(600, 1), epochs=8)
