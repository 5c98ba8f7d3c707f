"""Word-level LSTM read as 20 parallel streams; the state is handed from chunk to chunk, input and output tied."""
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SEED, STREAMS, CHUNK, EPOCHS = 90, 20, 30, 7
DIM, LR, CLIP = 64, 6e-3, 0.5


def story(n, vocab, seed):
    """A text with chapters: the set of phrases in use switches rarely, so long memory pays off."""
    rng = np.random.default_rng(seed)
    world = np.random.default_rng(0)
    successors = world.integers(0, vocab, size=(2, vocab, 4))
    out = np.zeros(n, dtype=np.int64)
    chapter, w = 0, 0
    for i in range(n):
        if rng.random() < 0.005:
            chapter = rng.integers(0, 2)
        w = successors[chapter, w, rng.integers(0, 4)] if rng.random() < 0.9 else rng.integers(0, vocab)
        out[i] = w
    return torch.tensor(out)


def streams(tokens, n):
    length = (len(tokens) - 1) // n
    x = tokens[:n * length].view(n, length)
    y = tokens[1:n * length + 1].view(n, length)
    return x, y


class Reader(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.cell = nn.LSTM(dim, dim, num_layers=1, batch_first=True)
        self.drop = nn.Dropout(0.05)
        self.logits = nn.Linear(dim, vocab)
        self.logits.weight = self.embed.weight
        nn.init.normal_(self.embed.weight, std=0.1)
        nn.init.zeros_(self.logits.bias)

    def forward(self, x, state):
        h, state = self.cell(self.drop(self.embed(x)), state)
        return self.logits(self.drop(h)), state


@torch.no_grad()
def perplexity(model, x, y):
    model.eval()
    state, nll = None, 0.0
    for i in range(0, x.size(1), CHUNK):
        logits, state = model(x[:, i:i + CHUNK], state)
        nll += F.cross_entropy(logits.flatten(0, 1), y[:, i:i + CHUNK].flatten(), reduction="sum").item()
    model.train()
    return math.exp(nll / y.numel())


def main():
    torch.manual_seed(SEED)
    vocab = 80
    x, y = streams(story(90000, vocab, 1), STREAMS)
    xv, yv = streams(story(10000, vocab, 2), 5)
    model = Reader(vocab, DIM)
    opt = torch.optim.Adam(model.parameters(), lr=LR)
    chunks = list(range(0, x.size(1), CHUNK))
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: max(0.02, 1 - s / (EPOCHS * len(chunks))))
    print(f"{sum(p.numel() for p in model.parameters())} parameters, {len(chunks)} chunks per epoch")
    for epoch in range(EPOCHS):
        state, total = None, 0.0
        for i in chunks:
            if state is not None:
                state = tuple(s.detach() for s in state)
            logits, state = model(x[:, i:i + CHUNK], state)
            loss = F.cross_entropy(logits.flatten(0, 1), y[:, i:i + CHUNK].flatten())
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), CLIP)
            opt.step()
            sched.step()
            total += loss.item()
        print(f"epoch {epoch} train ppl {math.exp(total / len(chunks)):.2f} valid ppl {perplexity(model, xv, yv):.2f}", flush=True)
    print(f"final valid perplexity {perplexity(model, xv, yv):.3f} of {vocab}")


if __name__ == "__main__":
    main()
