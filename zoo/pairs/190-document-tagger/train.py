"""Multi-label topic tagging of short documents (bag of embeddings with attention pooling)."""
import argparse

import numpy as np
import torch
import torch.nn as nn
from sklearn.metrics import f1_score
from torch.utils.data import DataLoader, Dataset

VOCAB, TOPICS, LENGTH = 800, 8, 40


def generate(n, seed):
    rng = np.random.default_rng(seed)
    topic_words = np.random.default_rng(0).permutation(VOCAB - 1)[: TOPICS * 40].reshape(TOPICS, 40) + 1
    docs = np.zeros((n, LENGTH), dtype=np.int64)
    tags = np.zeros((n, TOPICS), dtype=np.float32)
    for i in range(n):
        active = np.flatnonzero(rng.random(TOPICS) < 0.25)
        tags[i, active] = 1
        for t in range(LENGTH):
            if len(active) and rng.random() < 0.45:
                docs[i, t] = rng.choice(topic_words[rng.choice(active)])
            else:
                docs[i, t] = rng.integers(1, VOCAB)
    return docs, tags


class TaggedDocs(Dataset):
    def __init__(self, docs, tags):
        self.docs, self.tags = torch.from_numpy(docs), torch.from_numpy(tags)

    def __len__(self):
        return len(self.docs)

    def __getitem__(self, i):
        return self.docs[i], self.tags[i]


class AttentionPool(nn.Module):
    def __init__(self, dim, queries):
        super().__init__()
        self.score = nn.Linear(dim, queries)

    def forward(self, x):
        weight = self.score(x).softmax(dim=1)
        return torch.einsum("btq,btd->bqd", weight, x)


class TagHead(nn.Module):
    """One small scorer per topic, sharing the trunk."""

    def __init__(self, dim, topics, hidden=32, out_act=nn.Identity):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.LayerNorm(hidden))
        self.out = nn.Linear(hidden, 1)
        self.act = out_act()
        self.bias = nn.Parameter(torch.zeros(topics))

    def forward(self, pooled):
        return self.act(self.out(self.body(pooled)).squeeze(-1) + self.bias)


class Tagger(nn.Module):
    def __init__(self, dim, head_kwargs):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, dim)
        self.pool = AttentionPool(dim, TOPICS)
        self.head = TagHead(dim, TOPICS, **head_kwargs)

    def forward(self, docs):
        return self.head(self.pool(self.embed(docs)))


HEADS = {
    "plain": dict(hidden=32),
    "wide": dict(hidden=48, out_act=nn.Sigmoid),
}


def evaluate(model, loader, criterion):
    model.eval()
    outs, tags = [], []
    with torch.no_grad():
        for docs, y in loader:
            outs.append(model(docs))
            tags.append(y)
    outs, tags = torch.cat(outs), torch.cat(tags)
    pred = (outs.sigmoid() > 0.5).int().numpy()
    return criterion(outs, tags).item(), f1_score(tags.numpy(), pred, average="macro", zero_division=0)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=14)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--dim", type=int, default=48)
    p.add_argument("--head", choices=HEADS, default="wide")
    p.add_argument("--seed", type=int, default=3)
    args = p.parse_args()
    torch.manual_seed(args.seed)

    train = DataLoader(TaggedDocs(*generate(4000, 1)), batch_size=64, shuffle=True)
    val = DataLoader(TaggedDocs(*generate(800, 2)), batch_size=256)
    model = Tagger(args.dim, HEADS[args.head])
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.01)
    criterion = nn.BCEWithLogitsLoss()

    for epoch in range(args.epochs):
        model.train()
        running = 0.0
        for docs, y in train:
            optimizer.zero_grad()
            loss = criterion(model(docs), y)
            loss.backward()
            optimizer.step()
            running += loss.item()
        val_loss, f1 = evaluate(model, val, criterion)
        print(f"epoch {epoch + 1} train {running / len(train):.4f} val {val_loss:.4f} macro-F1 {f1:.4f}")
    print(f"final macro-F1 {f1:.4f}")


if __name__ == "__main__":
    main()
