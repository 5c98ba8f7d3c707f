"""Predict a review's score from its token sequence (mean-pooled bag of embeddings)."""
import torch
from torch import nn

VOCAB, PAD = 300, 0
g = torch.Generator().manual_seed(0)
polarity = torch.randn(VOCAB, generator=g)


def make_reviews(n, seed):
    g = torch.Generator().manual_seed(seed)
    rows = []
    for _ in range(n):
        length = int(torch.randint(3, 60, (1,), generator=g))
        tilt = torch.randn(1, generator=g)
        w = torch.softmax(tilt * polarity[1:], 0)
        ids = torch.multinomial(w, length, replacement=True, generator=g) + 1
        rows.append((ids, torch.tanh(polarity[ids].mean() * 1.5)))
    return rows


def batches(rows, size, shuffle):
    order = torch.randperm(len(rows)).tolist() if shuffle else list(range(len(rows)))
    for i in range(0, len(order), size):
        part = [rows[j] for j in order[i:i + size]]
        ids = nn.utils.rnn.pad_sequence([p[0] for p in part], batch_first=True, padding_value=PAD)
        yield ids, torch.stack([p[1] for p in part])


class Scorer(nn.Module):
    def __init__(self, dim=48):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, dim, padding_idx=PAD)
        self.head = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, 1))

    def forward(self, ids):
        keep = (ids != PAD).unsqueeze(-1)
        pooled = (self.emb(ids) * keep).sum(1) / keep.sum(1)
        return self.head(pooled).squeeze(-1)


def r2(net, rows):
    net.eval()
    with torch.no_grad():
        pred, gold = zip(*[(net(x), y) for x, y in batches(rows, 64, False)])
    pred, gold = torch.cat(pred), torch.cat(gold)
    return (1 - (pred - gold).pow(2).mean() / gold.var()).item()


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    train, test = make_reviews(3000, 1), make_reviews(800, 2)
    net = Scorer()
    opt = torch.optim.Adam(net.parameters(), lr=3e-3)
    for epoch in range(1, 16):
        net.train()
        total = 0.0
        for k, (ids, y) in enumerate(batches(train, 64, True), 1):
            loss = (net(ids) - y).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        if epoch % 3 == 0:
            print(f"epoch {epoch:2d}  mse {total / k:.4f}")
    print(f"held-out R2 {r2(net, test):.4f}")
