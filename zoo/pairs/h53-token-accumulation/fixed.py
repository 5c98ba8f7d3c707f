"""Character model trained with hand-made accumulation: micro-batches hold different numbers of characters,
so losses are summed and the gradient is divided by the number of characters once, just before the step."""
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pad_sequence

PAD = -100


def sentence(rng):
    pick = lambda *w: w[rng.integers(len(w))]
    parts = []
    for _ in range(rng.integers(1, 5)):
        parts += [pick("the", "a"), pick("small", "grey", "old"), pick("cat", "dog", "bird", "fox"),
                  pick("sees", "hears", "chases", "likes"), pick("the", "a"), pick("red", "green"),
                  pick("tree", "house", "river"), "and"]
    return " ".join(parts[:-1]) + "."


class CharModel(nn.Module):
    def __init__(self, vocab, hidden=64):
        super().__init__()
        self.emb = nn.Embedding(vocab, 24)
        self.rnn = nn.GRU(24, hidden, batch_first=True)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, x):
        return self.out(self.rnn(self.emb(x))[0])


def to_batch(texts, stoi):
    seqs = [torch.tensor([stoi[c] for c in "^" + t]) for t in texts]
    x = pad_sequence([s[:-1] for s in seqs], batch_first=True, padding_value=0)
    y = pad_sequence([s[1:] for s in seqs], batch_first=True, padding_value=PAD)
    return x, y


def summed_loss(model, x, y):
    return F.cross_entropy(model(x).flatten(0, 1), y.flatten(), ignore_index=PAD, reduction="sum")


def main():
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    train = [sentence(rng) for _ in range(900)]
    test = [sentence(rng) for _ in range(100)]
    stoi = {c: i for i, c in enumerate(sorted(set("^" + "".join(train + test))))}
    model = CharModel(len(stoi))
    opt = torch.optim.Adam(model.parameters(), lr=6e-3)
    micro, pieces = 4, 4
    opt.zero_grad()
    for step in range(180):
        chars, total = 0, 0.0
        for _ in range(pieces):
            x, y = to_batch([train[i] for i in rng.integers(0, len(train), micro)], stoi)
            loss = summed_loss(model, x, y)
            loss.backward()
            chars += int((y != PAD).sum())
            total += loss.item()
        for p in model.parameters():
            p.grad.div_(chars)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        opt.zero_grad()
        if step % 30 == 0:
            print(f"step {step} loss per character {total / chars:.4f}")
    x, y = to_batch(test, stoi)
    with torch.no_grad():
        nll = summed_loss(model, x, y).item() / int((y != PAD).sum())
    print(f"held-out nats per character {nll:.4f} (uniform {np.log(len(stoi)):.3f})")


if __name__ == "__main__":
    main()
