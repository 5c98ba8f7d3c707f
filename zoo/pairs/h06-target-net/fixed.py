"""Fitted Q-learning with a slowly moving target network on a slippery grid."""
import copy
import random

import torch
from torch import nn

SIZE, GOAL, TRAP = 5, (4, 4), (2, 2)
MOVES = [(0, 1), (1, 0), (0, -1), (-1, 0)]


def step(s, a, rng):
    if rng.random() < 0.1:
        a = rng.randrange(4)
    r, c = (min(SIZE - 1, max(0, s[0] + MOVES[a][0])), min(SIZE - 1, max(0, s[1] + MOVES[a][1])))
    if (r, c) == GOAL:
        return (r, c), 1.0, True
    if (r, c) == TRAP:
        return (r, c), -1.0, True
    return (r, c), -0.02, False


def feat(s):
    return nn.functional.one_hot(torch.tensor([q[0] * SIZE + q[1] for q in s]), SIZE * SIZE).float()


def evaluate(q, rng, n=200):
    total = 0.0
    for _ in range(n):
        s, over, t = (0, 0), False, 0
        while not over and t < 40:
            with torch.no_grad():
                a = int(q(feat([s])).argmax())
            s, r, over = step(s, a, rng)
            total += r
            t += 1
    return total / n


def main():
    torch.manual_seed(3)
    rng = random.Random(3)
    buf = []
    while len(buf) < 4000:
        s, over, t = (rng.randrange(SIZE), rng.randrange(SIZE)), False, 0
        while s in (GOAL, TRAP):
            s = (rng.randrange(SIZE), rng.randrange(SIZE))
        while not over and t < 30:
            a = rng.randrange(4)
            s2, r, over = step(s, a, rng)
            buf.append((s, a, r, s2, float(over)))
            s, t = s2, t + 1
    q = nn.Sequential(nn.Linear(SIZE * SIZE, 64), nn.ReLU(), nn.Linear(64, 4))
    target = copy.deepcopy(q).requires_grad_(False)
    opt = torch.optim.Adam(q.parameters(), lr=2e-3)
    tau = 0.02
    for it in range(1500):
        s, a, r, s2, d = zip(*rng.sample(buf, 64))
        with torch.no_grad():
            y = torch.tensor(r) + 0.95 * (1 - torch.tensor(d)) * target(feat(s2)).amax(1)
        pred = q(feat(s)).gather(1, torch.tensor(a)[:, None])[:, 0]
        loss = nn.functional.smooth_l1_loss(pred, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        with torch.no_grad():
            for p, tp in zip(q.parameters(), target.parameters()):
                tp.mul_(1 - tau).add_(tau * p)
        if it % 250 == 0:
            print(f"iter {it:4d} td loss {loss.item():.5f} mean target {y.mean():.3f}")
    print(f"average return from the corner: {evaluate(q, random.Random(9)):.3f}")


if __name__ == "__main__":
    main()
