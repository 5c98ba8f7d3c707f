"""One pass over an ordered stream of payments, 1.5 % fraud: test on each block, then learn from it."""
import argparse
from collections import deque

import numpy as np
import torch
from sklearn.metrics import average_precision_score, roc_auc_score
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

torch.set_num_threads(1)


class PaymentStream(IterableDataset):
    """Payments in time order; spending drifts slowly, as does the look of fraud."""

    def __init__(self, blocks, block, seed, rate=0.015):
        self.blocks, self.block, self.seed, self.rate = blocks, block, seed, rate

    def __iter__(self):
        rng = np.random.default_rng(self.seed)
        for b in range(self.blocks):
            phase = 2 * np.pi * b / self.blocks
            n = self.block
            fraud = rng.random(n) < self.rate
            amount = rng.lognormal(3 + 0.3 * np.sin(phase), 0.8, n) * np.where(fraud, 1.6, 1.0)
            gap = rng.exponential(20, n) * np.where(fraud, 0.4, 1.0)
            place = rng.normal(0, 1, (n, 4))
            place[fraud] += np.array([1.6 * np.cos(phase / 2), 1.6 * np.sin(phase / 2), 0.8, 0.0])
            night = rng.random(n) < np.where(fraud, 0.5, 0.2)
            other = rng.normal(0, 1, (n, 3))
            x = np.column_stack([np.log1p(amount) - 3, np.log1p(gap) - 2.5, place, night, other])
            yield torch.tensor(x, dtype=torch.float32), torch.tensor(fraud, dtype=torch.float32)


class Scorer(nn.Module):
    def __init__(self, inputs, width, rate):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(inputs, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))
        nn.init.constant_(self.net[-1].bias, float(np.log(rate / (1 - rate))))

    def forward(self, x):
        return self.net(x).squeeze(-1)


class FraudMemory:
    """Recent frauds are kept and shown again in many later blocks."""

    def __init__(self, size):
        self.items = deque(maxlen=size)

    def extend(self, x, y):
        self.items.extend(x[y > 0.5])

    def draw(self, k):
        pick = torch.randint(len(self.items), (k,))
        return torch.stack([self.items[int(i)] for i in pick])


def learn(model, opt, sched, memory, x, y, prior):
    chosen = torch.randperm(len(x))[:192]
    xs, ys = x[chosen], y[chosen]
    if len(memory.items) >= 20:
        again = memory.draw(64)
        xs = torch.cat([xs, again])
        ys = torch.cat([ys, torch.ones(len(again))])
    seen = ys.mean().clamp(0.005, 0.995)
    shift = torch.logit(seen) - torch.logit(prior)
    loss = nn.functional.binary_cross_entropy_with_logits(model(xs) + shift, ys)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    sched.step()
    return loss.item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--blocks", type=int, default=3000)
    ap.add_argument("--block", type=int, default=256)
    ap.add_argument("--lr", type=float, default=0.5)
    ap.add_argument("--warmup", type=int, default=150)
    args = ap.parse_args()
    torch.manual_seed(args.seed)

    rate = 0.015
    prior = torch.tensor(rate)
    stream = DataLoader(PaymentStream(args.blocks, args.block, args.seed, rate), batch_size=None)
    model = Scorer(10, 32, rate)
    opt = torch.optim.SGD(model.parameters(), lr=args.lr)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / args.warmup) * (0.3 if s > 1000 else 1.0))
    memory = FraudMemory(800)

    scores, truth, losses, late = [], [], [], ([], [])
    for b, (x, y) in enumerate(stream):
        with torch.no_grad():
            p = model(x).sigmoid()
        scores.append(p.numpy())
        truth.append(y.numpy())
        memory.extend(x, y)
        losses.append(learn(model, opt, sched, memory, x, y, prior))
        if (b + 1) % 300 == 0:
            s, t = np.concatenate(scores), np.concatenate(truth)
            print(f"block {b + 1:5d} loss {np.mean(losses):.4f} ahead-of-learning auc {roc_auc_score(t, s):.4f} "
                  f"ap {average_precision_score(t, s):.4f} mean p {s.mean():.4f} rate {t.mean():.4f}")
            if b + 1 > args.blocks // 2:
                late[0].append(s)
                late[1].append(t)
            scores, truth, losses = [], [], []
    s, t = np.concatenate(late[0]), np.concatenate(late[1])
    print(f"second half: auc {roc_auc_score(t, s):.4f} ap {average_precision_score(t, s):.4f} chance ap {t.mean():.4f}")


if __name__ == "__main__":
    main()
