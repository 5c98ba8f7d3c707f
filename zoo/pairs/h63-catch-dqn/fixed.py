"""Double DQN with a slowly tracking target network on the game of Catch."""
import argparse
import copy

import numpy as np
import torch
from torch import nn


class Catch:
    """A ball falls with a constant drift; a paddle on the bottom row must meet it."""

    def __init__(self, rng, size=8):
        self.rng, self.size = rng, size

    def reset(self):
        self.row = 0
        self.col = int(self.rng.integers(self.size))
        self.drift = int(self.rng.integers(-1, 2))
        self.paddle = int(self.rng.integers(self.size))
        return self.obs()

    def obs(self):
        s = self.size - 1
        return np.array([self.row / s, self.col / s, self.drift, self.paddle / s,
                         (self.col - self.paddle) / s], dtype=np.float32)

    def step(self, action):
        self.paddle = int(np.clip(self.paddle + action - 1, 0, self.size - 1))
        self.row += 1
        self.col += self.drift
        if self.col < 0 or self.col >= self.size:
            self.drift = -self.drift
            self.col += 2 * self.drift
        done = self.row == self.size - 1
        reward = (1.0 if abs(self.col - self.paddle) == 0 else -1.0) if done else 0.0
        return self.obs(), reward, done


class Replay:
    def __init__(self, capacity, dim):
        self.s = np.zeros((capacity, dim), np.float32)
        self.n = np.zeros((capacity, dim), np.float32)
        self.a = np.zeros(capacity, np.int64)
        self.r = np.zeros(capacity, np.float32)
        self.d = np.zeros(capacity, np.float32)
        self.capacity, self.size, self.ptr = capacity, 0, 0

    def add(self, s, a, r, n, d):
        i = self.ptr
        self.s[i], self.a[i], self.r[i], self.n[i], self.d[i] = s, a, r, n, float(d)
        self.ptr = (i + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, k, rng):
        i = rng.integers(self.size, size=k)
        return [torch.from_numpy(v[i]) for v in (self.s, self.a, self.r, self.n, self.d)]


class DuelingQ(nn.Module):
    def __init__(self, dim, actions, hidden=64):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(),
                                  nn.Linear(hidden, hidden), nn.ReLU())
        self.value = nn.Linear(hidden, 1)
        self.adv = nn.Linear(hidden, actions)

    def forward(self, x):
        h = self.body(x)
        a = self.adv(h)
        return self.value(h) + a - a.mean(-1, keepdim=True)


def play(net, env, episodes):
    wins = 0
    with torch.no_grad():
        for _ in range(episodes):
            s, done = env.reset(), False
            while not done:
                s, r, done = env.step(int(net(torch.from_numpy(s)).argmax()))
            wins += r > 0
    return wins / episodes


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--steps", type=int, default=14000)
    ap.add_argument("--gamma", type=float, default=0.97)
    ap.add_argument("--tau", type=float, default=0.01)
    args = ap.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    env, test_env = Catch(rng), Catch(np.random.default_rng(args.seed + 999))
    online = DuelingQ(5, 3)
    target = copy.deepcopy(online).requires_grad_(False)
    opt = torch.optim.Adam(online.parameters(), lr=1e-3)
    memory = Replay(10000, 5)
    s = env.reset()
    losses = []
    for step in range(1, args.steps + 1):
        eps = max(0.05, 1.0 - step / (0.5 * args.steps))
        if rng.random() < eps:
            a = int(rng.integers(3))
        else:
            with torch.no_grad():
                a = int(online(torch.from_numpy(s)).argmax())
        n, r, done = env.step(a)
        memory.add(s, a, r, n, done)
        s = env.reset() if done else n
        if step > 500 and step % 2 == 0:
            bs, ba, br, bn, bd = memory.sample(64, rng)
            with torch.no_grad():
                pick = online(bn).argmax(1, keepdim=True)
                y = br + args.gamma * (1 - bd) * target(bn).gather(1, pick).squeeze(1)
            q = online(bs).gather(1, ba[:, None]).squeeze(1)
            loss = nn.functional.smooth_l1_loss(q, y)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(online.parameters(), 10.0)
            opt.step()
            with torch.no_grad():
                for pt, po in zip(target.parameters(), online.parameters()):
                    pt.lerp_(po, args.tau)
            losses.append(loss.item())
        if step % 2000 == 0:
            print(f"step {step} eps {eps:.2f} td loss {np.mean(losses[-500:]):.4f} "
                  f"catch rate {play(online, test_env, 100):.3f}")
    print(f"final greedy catch rate {play(online, test_env, 400):.4f}")


if __name__ == "__main__":
    main()
