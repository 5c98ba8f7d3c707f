"""Answer questions about a record: given (field, value) pairs and a queried field, return its value."""
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Args:
    n_fields: int = 20
    n_values: int = 16
    n_slots: int = 8
    dim: int = 64
    heads: int = 1
    layers: int = 1
    dropout: float = 0.2
    lr: float = 2e-3
    batch_size: int = 64
    epochs: int = 12
    train_size: int = 5000
    seed: int = 0


def make_records(n, a, gen):
    fields = torch.rand(n, a.n_fields, generator=gen).argsort(1)[:, :a.n_slots]
    values = torch.randint(0, a.n_values, (n, a.n_slots), generator=gen)
    pick = torch.randint(0, a.n_slots, (n, 1), generator=gen)
    query = fields.gather(1, pick)
    unknown = torch.full((n, 1), a.n_values)  # the value id of the question slot
    f = torch.cat([fields, query], 1)
    v = torch.cat([values, unknown], 1)
    return TensorDataset(f, v, values.gather(1, pick).squeeze(1))


class SelfAttention(nn.Module):
    def __init__(self, dim, heads, dropout):
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout if self.training else 0.0)
        return self.proj(y.transpose(1, 2).reshape(b, t, d))


class Layer(nn.Module):
    def __init__(self, a):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(a.dim), nn.LayerNorm(a.dim)
        self.attn = SelfAttention(a.dim, a.heads, a.dropout)
        self.mlp = nn.Sequential(nn.Linear(a.dim, 2 * a.dim), nn.GELU(), nn.Linear(2 * a.dim, a.dim))

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class RecordReader(nn.Module):
    def __init__(self, a):
        super().__init__()
        self.field = nn.Embedding(a.n_fields, a.dim)
        self.value = nn.Embedding(a.n_values + 1, a.dim)
        self.layers = nn.ModuleList(Layer(a) for _ in range(a.layers))
        self.norm = nn.LayerNorm(a.dim)
        self.head = nn.Linear(a.dim, a.n_values)

    def forward(self, f, v):
        x = self.field(f) + self.value(v)
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x[:, -1]))


def main():
    args = Args()
    set_seed(args.seed)
    accelerator = Accelerator(cpu=True)
    gen = torch.Generator().manual_seed(args.seed)
    train_dl = DataLoader(make_records(args.train_size, args, gen), args.batch_size, shuffle=True)
    eval_dl = DataLoader(make_records(1000, args, gen), 250)
    model = RecordReader(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, args.lr, total_steps=args.epochs * len(train_dl))
    model, optimizer, train_dl, eval_dl, scheduler = accelerator.prepare(model, optimizer, train_dl, eval_dl, scheduler)

    for epoch in range(args.epochs):
        model.train()
        running = 0.0
        for f, v, y in train_dl:
            loss = F.cross_entropy(model(f, v), y)
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
            running += loss.item()

        model.eval()
        hits = total = 0
        for f, v, y in eval_dl:
            with torch.no_grad():
                pred = model(f, v).argmax(-1)
            pred, y = accelerator.gather_for_metrics((pred, y))
            hits += (pred == y).sum().item()
            total += len(y)
        accelerator.print(f"epoch {epoch + 1}: train loss {running / len(train_dl):.4f}  eval exact {hits / total:.3f}")


if __name__ == "__main__":
    main()
