"""Session classifier: what kind of shopper is this, given the ordered list of events."""
import argparse
import math

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

EVENTS = ["view", "search", "cart", "remove", "review", "coupon", "login", "wish",
          "compare", "help", "scroll", "share"]
CART, COUPON, REVIEW = 2, 5, 4


def make_sessions(n, length, gen):
    """Labels: 0 no review; with a review: 1 coupon before cart, 2 cart before coupon."""
    filler = torch.tensor([i for i in range(len(EVENTS)) if i not in (CART, COUPON, REVIEW)])
    x = filler[torch.randint(len(filler), (n, length), generator=gen)]
    y = torch.zeros(n, dtype=torch.long)
    for i in range(n):
        slots = torch.randperm(length, generator=gen)[:3].tolist()
        x[i, slots[0]], x[i, slots[1]] = CART, COUPON
        if torch.rand(1, generator=gen).item() < 0.75:
            x[i, slots[2]] = REVIEW
            y[i] = 1 if slots[1] < slots[0] else 2
    return x, y


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.0, max_len=512):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        position = torch.arange(max_len).unsqueeze(1)
        div = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, 1, d_model)
        pe[:, 0, 0::2] = torch.sin(position * div)
        pe[:, 0, 1::2] = torch.cos(position * div)
        self.register_buffer("pe", pe)

    def forward(self, x):
        x = x + self.pe[:x.size(1)].transpose(0, 1)
        return self.dropout(x)


class SessionModel(nn.Module):
    def __init__(self, n_events, n_classes, d=48, heads=4, layers=2, dropout=0.0):
        super().__init__()
        self.d = d
        self.embed = nn.Embedding(n_events, d)
        self.pos = PositionalEncoding(d, dropout)
        layer = nn.TransformerEncoderLayer(d, heads, 2 * d, dropout=dropout,
                                           batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(d)
        self.head = nn.Linear(d, n_classes)

    def forward(self, tokens):
        h = self.embed(tokens)
        h = self.pos(h)
        h = self.encoder(h)
        return self.head(self.norm(h).mean(dim=1))


@torch.no_grad()
def confusion(model, loader, n_classes):
    model.eval()
    m = torch.zeros(n_classes, n_classes, dtype=torch.long)
    for x, y in loader:
        p = model(x).argmax(-1)
        for t, q in zip(y.tolist(), p.tolist()):
            m[t, q] += 1
    return m


def train(cfg):
    torch.manual_seed(cfg["seed"])
    gen = torch.Generator().manual_seed(cfg["seed"] + 1000)
    train_set = TensorDataset(*make_sessions(cfg["n_train"], cfg["length"], gen))
    test_set = TensorDataset(*make_sessions(1000, cfg["length"], gen))
    train_loader = DataLoader(train_set, batch_size=cfg["batch"], shuffle=True, drop_last=True)
    test_loader = DataLoader(test_set, batch_size=cfg["batch"])

    model = SessionModel(len(EVENTS), 3)
    opt = torch.optim.AdamW(model.parameters(), lr=cfg["lr"], weight_decay=0.01)
    steps = cfg["epochs"] * len(train_loader)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, cfg["lr"], total_steps=steps, pct_start=0.1)
    loss_fn = nn.CrossEntropyLoss()

    for epoch in range(cfg["epochs"]):
        model.train()
        total = 0.0
        for x, y in train_loader:
            loss = loss_fn(model(x), y)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            sched.step()
            total += loss.item()
        m = confusion(model, test_loader, 3)
        acc = m.diag().sum().item() / m.sum().item()
        print(f"epoch {epoch} train loss {total / len(train_loader):.4f} test acc {acc:.4f}")
    print("confusion", m.tolist())
    print(f"final test accuracy {acc:.4f}")


if __name__ == "__main__":
    torch.set_num_threads(1)
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=6)
    cli = parser.parse_args()
    train({"seed": cli.seed, "epochs": cli.epochs, "n_train": 6000, "length": 20,
           "batch": 50, "lr": 3e-3})
