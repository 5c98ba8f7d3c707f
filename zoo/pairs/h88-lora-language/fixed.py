"""Adapt a pretrained token classifier to a second 'dialect' with low-rank adapters; the base stays untouched."""
import copy
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

VOCAB, LENGTH, CLASSES = 60, 20, 6


def corpus(n, seed, dialect):
    """Class of a sentence = most frequent topic; the dialect renames part of the words, the grammar is shared."""
    rng = np.random.default_rng(seed)
    rename = np.arange(VOCAB)
    if dialect:
        rename = np.random.default_rng(5).permutation(VOCAB)
        keep = np.random.default_rng(6).random(VOCAB) < 0.4
        rename[keep] = np.arange(VOCAB)[keep]
    topic = rng.integers(0, CLASSES, n)
    x = np.zeros((n, LENGTH), dtype=np.int64)
    for i, t in enumerate(topic):
        from_topic = rng.random(LENGTH) < 0.45
        x[i] = np.where(from_topic, t * (VOCAB // CLASSES) + rng.integers(0, VOCAB // CLASSES, LENGTH),
                        rng.integers(0, VOCAB, LENGTH))
    return torch.tensor(rename[x]), torch.tensor(topic)


class Reader(nn.Module):
    def __init__(self, dim=48, heads=4, layers=2):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, dim)
        self.pos = nn.Parameter(torch.randn(LENGTH, dim) * 0.02)
        self.blocks = nn.ModuleList()
        for _ in range(layers):
            self.blocks.append(nn.ModuleDict({
                "n1": nn.LayerNorm(dim), "q": nn.Linear(dim, dim), "k": nn.Linear(dim, dim), "v": nn.Linear(dim, dim),
                "o": nn.Linear(dim, dim), "n2": nn.LayerNorm(dim), "up": nn.Linear(dim, 2 * dim), "down": nn.Linear(2 * dim, dim)}))
        self.heads = heads
        self.out = nn.Linear(dim, CLASSES)

    def forward(self, ids):
        h = self.embed(ids) + self.pos
        b, t, c = h.shape
        for blk in self.blocks:
            x = blk["n1"](h)
            q, k, v = (blk[n](x).view(b, t, self.heads, -1).transpose(1, 2) for n in "qkv")
            h = h + blk["o"](F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, t, c))
            h = h + blk["down"](F.gelu(blk["up"](blk["n2"](h))))
        return self.out(h.mean(1))


class LowRank(nn.Module):
    """y = base(x) + (alpha / r) * x A^T B^T with B starting at zero."""

    def __init__(self, base, r=8, alpha=16):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.A = nn.Parameter(torch.empty(r, base.in_features))
        self.B = nn.Parameter(torch.zeros(base.out_features, r))
        nn.init.kaiming_uniform_(self.A, a=math.sqrt(5))
        self.scale = alpha / r

    def forward(self, x):
        return self.base(x) + F.linear(F.linear(x, self.A), self.B) * self.scale


class LowRankEmbedding(nn.Module):
    def __init__(self, base, r=16):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.A = nn.Parameter(torch.zeros(base.num_embeddings, r))
        self.B = nn.Parameter(torch.randn(r, base.embedding_dim) / math.sqrt(r))

    def forward(self, ids):
        return self.base(ids) + F.embedding(ids, self.A) @ self.B


def with_adapters(model):
    model = copy.deepcopy(model).requires_grad_(False)
    for blk in model.blocks:
        for name in ("q", "v", "up", "down"):
            blk[name] = LowRank(blk[name])
    model.embed = LowRankEmbedding(model.embed)
    return model


@torch.no_grad()
def accuracy(model, data):
    model.eval()
    return (model(data[0]).argmax(1) == data[1]).float().mean().item()


def fit(model, data, test, epochs, lr, tag):
    params = [p for p in model.parameters() if p.requires_grad]
    opt = torch.optim.AdamW(params, lr=lr, weight_decay=0.0)
    steps, it = epochs * (len(data[0]) // 50), 0
    print(f"[{tag}] training {sum(p.numel() for p in params)} of {sum(p.numel() for p in model.parameters())} values")
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for idx in torch.randperm(len(data[0])).split(50):
            opt.param_groups[0]["lr"] = lr * min(1.0, (it + 1) / 20) * (0.5 + 0.5 * math.cos(math.pi * it / steps))
            loss = F.cross_entropy(model(data[0][idx]), data[1][idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total, it = total + loss.item() * len(idx), it + 1
        print(f"[{tag}] epoch {epoch} loss {total / len(data[0]):.4f} accuracy {accuracy(model, test):.4f}", flush=True)


torch.manual_seed(61)
base = Reader()
fit(base, corpus(4000, 0, False), corpus(600, 1, False), epochs=3, lr=2e-3, tag="base")
test = corpus(800, 3, True)
print(f"base on the dialect: {accuracy(base, test):.4f}")
tuned = with_adapters(base)
before = {n: p.clone() for n, p in tuned.named_parameters() if not p.requires_grad}
fit(tuned, corpus(2000, 2, True), test, epochs=5, lr=5e-3, tag="adapter")
assert all(torch.equal(p, before[n]) for n, p in tuned.named_parameters() if n in before)
print(f"final dialect test accuracy {accuracy(tuned, test):.4f}")
