"""Self-supervised embedding of sensor snapshots: two recordings of one object should land together."""
import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)


class Recorder:
    """Objects have a hidden identity vector; every recording adds its own lighting and pose."""

    def __init__(self, seed, identity=6, nuisance=10, channels=48):
        rng = np.random.default_rng(seed)
        self.identity, self.nuisance = identity, nuisance
        self.a = torch.tensor(rng.normal(0, 1, (identity, 64)) / identity ** 0.5, dtype=torch.float32)
        self.b = torch.tensor(rng.normal(0, 1, (nuisance, 64)) / nuisance ** 0.5, dtype=torch.float32)
        self.c = torch.tensor(rng.normal(0, 1, (64, channels)) / 8.0, dtype=torch.float32)
        self.rng = torch.Generator().manual_seed(seed)

    def objects(self, n):
        return torch.randn(n, self.identity, generator=self.rng)

    def record(self, objects):
        u = torch.randn(len(objects), self.nuisance, generator=self.rng)
        h = torch.tanh(objects @ self.a + 1.2 * (u @ self.b))
        return h @ self.c + 0.02 * torch.randn(len(objects), self.c.shape[1], generator=self.rng)


class Encoder(nn.Module):
    def __init__(self, channels, width=128, dim=16):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(channels, width), nn.GELU(), nn.Linear(width, width), nn.GELU(),
                                   nn.Linear(width, dim))

    def forward(self, x):
        return F.normalize(self.trunk(x), dim=-1)


class PairLoss(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, za, zb):
        n = len(za)
        z = torch.cat([za, zb], dim=0)
        sim = z @ z.T / self.temperature
        sim.fill_diagonal_(float("-inf"))
        partner = torch.arange(2 * n, device=z.device) ^ 1
        return F.cross_entropy(sim, partner)


@torch.no_grad()
def recall_at(encoder, recorder, objects, ks=(1, 5)):
    encoder.eval()
    query, gallery = encoder(recorder.record(objects)), encoder(recorder.record(objects))
    order = (query @ gallery.T).argsort(dim=1, descending=True)
    truth = torch.arange(len(objects)).unsqueeze(1)
    rank = (order == truth).float().argmax(dim=1)
    return {k: (rank < k).float().mean().item() for k in ks}


def train(args):
    torch.manual_seed(args.seed)
    recorder = Recorder(args.seed)
    pool = recorder.objects(args.objects)
    valid_objects, test_objects = recorder.objects(200), recorder.objects(200)
    encoder = Encoder(recorder.c.shape[1])
    criterion = PairLoss(args.temperature)
    opt = torch.optim.AdamW(encoder.parameters(), lr=args.lr, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=args.lr, total_steps=args.steps)

    running = 0.0
    for step in range(1, args.steps + 1):
        encoder.train()
        objects = pool[torch.randperm(len(pool))[: args.batch]]
        loss = criterion(encoder(recorder.record(objects)), encoder(recorder.record(objects)))
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        running += loss.item()
        if step % args.report == 0:
            r = recall_at(encoder, recorder, valid_objects)
            print(f"step {step:5d} loss {running / args.report:.4f} valid R@1 {r[1]:.3f} R@5 {r[5]:.3f}")
            running = 0.0
    r = recall_at(encoder, recorder, test_objects)
    print(f"test R@1={r[1]:.4f} R@5={r[5]:.4f} (chance {1 / len(test_objects):.4f})")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--objects", type=int, default=5000)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--report", type=int, default=250)
    parser.add_argument("--temperature", type=float, default=0.15)
    parser.add_argument("--lr", type=float, default=3e-3)
    train(parser.parse_args())
