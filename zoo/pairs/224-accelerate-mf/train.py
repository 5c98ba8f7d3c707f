"""Matrix factorisation with side features, trained with Accelerate and gradient accumulation."""
import argparse

import numpy as np
import torch
import torch.nn as nn
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset
from transformers import get_linear_schedule_with_warmup


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--users", type=int, default=800)
    p.add_argument("--items", type=int, default=400)
    p.add_argument("--ratings", type=int, default=60000)
    p.add_argument("--rank", type=int, default=8)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--accumulate", type=int, default=8)
    p.add_argument("--epochs", type=int, default=8)
    p.add_argument("--lr", type=float, default=2e-2)
    p.add_argument("--weight-decay", type=float, default=1e-2)
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args()


def make_ratings(a):
    rng = np.random.default_rng(a.seed)
    u_lat = rng.normal(0, 0.6, (a.users, 4))
    i_lat = rng.normal(0, 0.6, (a.items, 4))
    genre = rng.integers(0, 8, a.items)
    taste = rng.normal(0, 0.5, (a.users, 8))
    u_bias, i_bias = rng.normal(0, 0.4, a.users), rng.normal(0, 0.5, a.items)
    pop = rng.dirichlet(np.full(a.items, 0.8))
    u = rng.integers(0, a.users, a.ratings)
    i = rng.choice(a.items, a.ratings, p=pop)
    r = 3.4 + u_bias[u] + i_bias[i] + (u_lat[u] * i_lat[i]).sum(1) + taste[u, genre[i]]
    r = np.clip(np.round(2 * (r + rng.normal(0, 0.3, a.ratings))) / 2, 0.5, 5.0)
    return (torch.tensor(u), torch.tensor(i), torch.tensor(genre[i]), torch.tensor(r, dtype=torch.float32))


class Factoriser(nn.Module):
    def __init__(self, users, items, genres, rank, mean):
        super().__init__()
        self.user = nn.Embedding(users, rank)
        self.item = nn.Embedding(items, rank)
        self.taste = nn.Embedding(users, genres)
        self.user_bias = nn.Embedding(users, 1)
        self.item_bias = nn.Embedding(items, 1)
        self.mean = nn.Parameter(torch.tensor(float(mean)))
        nn.init.normal_(self.user.weight, std=0.1)
        nn.init.normal_(self.item.weight, std=0.1)
        for m in (self.taste, self.user_bias, self.item_bias):
            nn.init.zeros_(m.weight)

    def forward(self, u, i, g):
        dot = (self.user(u) * self.item(i)).sum(-1)
        taste = self.taste(u).gather(1, g[:, None])[:, 0]
        return self.mean + dot + taste + self.user_bias(u)[:, 0] + self.item_bias(i)[:, 0]


def rmse(accelerator, model, loader):
    model.eval()
    err = []
    with torch.no_grad():
        for u, i, g, r in loader:
            e = (model(u, i, g).clamp(0.5, 5.0) - r) ** 2
            err.append(accelerator.gather_for_metrics(e))
    return torch.cat(err).mean().sqrt().item()


def main():
    a = parse_args()
    set_seed(a.seed)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=a.accumulate)
    data = TensorDataset(*make_ratings(a))
    n_val = len(data) // 6
    train_set, val_set = torch.utils.data.random_split(data, [len(data) - n_val, n_val])
    train_loader = DataLoader(train_set, batch_size=a.batch_size, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=2048)

    mean = data.tensors[3].mean().item()
    model = Factoriser(a.users, a.items, 8, a.rank, mean)
    optimizer = torch.optim.AdamW(model.parameters(), lr=a.lr, weight_decay=a.weight_decay)
    updates = a.epochs * (len(train_loader) // a.accumulate)
    scheduler = get_linear_schedule_with_warmup(optimizer, int(0.05 * updates), updates)

    model, optimizer, train_loader, val_loader = accelerator.prepare(model, optimizer, train_loader, val_loader)
    loss_fn = nn.MSELoss()

    for epoch in range(a.epochs):
        model.train()
        total, seen = 0.0, 0
        for u, i, g, r in train_loader:
            with accelerator.accumulate(model):
                loss = loss_fn(model(u, i, g), r)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
            total += loss.item() * len(r)
            seen += len(r)
        accelerator.print(f"epoch {epoch + 1:2d} train mse {total / seen:.4f} val rmse {rmse(accelerator, model, val_loader):.4f}")
    accelerator.print(f"val RMSE: {rmse(accelerator, model, val_loader):.4f}")


if __name__ == "__main__":
    main()
