"""Amortised inference: learn to read the parameters of a damped oscillator from a noisy trace.
Training traces are simulated on the fly in loader workers."""
import argparse

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Simulator(Dataset):
    def __init__(self, size, length=64, seed=0):
        self.size = size
        self.t = np.linspace(0, 6, length)
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        return self.size

    def __getitem__(self, i):
        freq = self.rng.uniform(0.5, 2.5)
        damp = self.rng.uniform(0.05, 0.8)
        phase = self.rng.uniform(0, 2 * np.pi)
        amp = self.rng.uniform(0.5, 1.5)
        x = amp * np.exp(-damp * self.t) * np.cos(2 * np.pi * freq * self.t + phase)
        x = x + self.rng.normal(0, 0.1, len(self.t))
        y = np.array([(freq - 1.5) / 0.58, (damp - 0.425) / 0.217])
        return x.astype(np.float32), y.astype(np.float32)


def fresh(worker_id):
    torch.set_num_threads(1)
    torch.utils.data.get_worker_info().dataset.rng = np.random.default_rng(torch.initial_seed())


def r2(model, batches):
    model.eval()
    with torch.no_grad():
        x, y = batches
        res = (model(x) - y).square().sum(0)
    model.train()
    return 1 - res / (y - y.mean(0)).square().sum(0)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=16)
    ap.add_argument("--size", type=int, default=1200, help="simulations per epoch")
    ap.add_argument("--workers", type=int, default=2)
    args = ap.parse_args()
    torch.manual_seed(0)
    train = DataLoader(Simulator(args.size, seed=1), batch_size=50, num_workers=args.workers, worker_init_fn=fresh)
    test = next(iter(DataLoader(Simulator(1000, seed=99), batch_size=1000)))
    model = nn.Sequential(nn.Linear(64, 192), nn.ReLU(), nn.Linear(192, 192), nn.ReLU(), nn.Linear(192, 2))
    opt = torch.optim.Adam(model.parameters(), lr=1.5e-3)
    for epoch in range(args.epochs):
        losses = []
        for x, y in train:
            loss = nn.functional.mse_loss(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        if epoch % 3 == 0 or epoch == args.epochs - 1:
            print(f"epoch {epoch:2d} loss {np.mean(losses):.4f}")
    f, d = r2(model, test)
    print(f"held-out r2: frequency {f:.3f}, damping {d:.3f}, mean {(f + d) / 2:.3f}")


if __name__ == "__main__":
    main()
