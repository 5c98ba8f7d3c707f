"""DQN with replay and a target network on a 6x6 windy maze."""
import random
from collections import deque

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

random.seed(0)
np.random.seed(0)
torch.manual_seed(0)


class Maze:
    SIZE = 6
    WALLS = {(1, 1), (1, 2), (1, 3), (3, 2), (3, 3), (3, 4), (3, 5), (4, 1)}
    GOAL = (5, 5)
    MOVES = [(-1, 0), (1, 0), (0, -1), (0, 1)]

    def reset(self, random_start=True):
        self.t = 0
        if random_start:
            free = [(r, c) for r in range(self.SIZE) for c in range(self.SIZE)
                    if (r, c) not in self.WALLS and (r, c) != self.GOAL]
            self.pos = random.choice(free)
        else:
            self.pos = (0, 0)
        return self.obs()

    def obs(self):
        v = np.zeros(2 * self.SIZE, dtype=np.float32)
        v[self.pos[0]] = 1
        v[self.SIZE + self.pos[1]] = 1
        return v

    def step(self, a):
        if random.random() < 0.05:
            a = random.randrange(4)
        r, c = self.pos[0] + self.MOVES[a][0], self.pos[1] + self.MOVES[a][1]
        if 0 <= r < self.SIZE and 0 <= c < self.SIZE and (r, c) not in self.WALLS:
            self.pos = (r, c)
        self.t += 1
        done = self.pos == self.GOAL
        truncated = self.t >= 50
        return self.obs(), (1.0 if done else -0.01), done, truncated


class QNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))

    def forward(self, x):
        return self.f(x)


def act(net, s, eps):
    if random.random() < eps:
        return random.randrange(4)
    with torch.no_grad():
        return net(torch.from_numpy(s)[None]).argmax(1).item()


def evaluate(net, n=40):
    env, returns, wins = Maze(), [], 0
    for _ in range(n):
        s, total, over = env.reset(False), 0.0, False
        while not over:
            s, r, done, trunc = env.step(act(net, s, 0.0))
            total += r
            over = done or trunc
        wins += done
        returns.append(total)
    return np.mean(returns), wins / n


GAMMA, BATCH, SYNC = 0.97, 64, 200
q, target = QNet(), QNet()
target.load_state_dict(q.state_dict())
opt = torch.optim.Adam(q.parameters(), lr=1e-3)
buffer = deque(maxlen=10000)
env = Maze()
print("before training: return %.3f, solved %.2f" % evaluate(q))

s = env.reset()
losses = []
for step in range(1, 6001):
    eps = max(0.1, 1.0 - step / 3000)
    a = act(q, s, eps)
    s2, r, done, trunc = env.step(a)
    buffer.append((s, a, r, s2, float(done)))
    s = env.reset() if done or trunc else s2

    if step >= 500 and step % 2 == 0:
        S, A, R, S2, D = zip(*random.sample(buffer, BATCH))
        S, S2 = torch.from_numpy(np.stack(S)), torch.from_numpy(np.stack(S2))
        A, R, D = torch.tensor(A), torch.tensor(R), torch.tensor(D)
        with torch.no_grad():
            best = q(S2).argmax(1, keepdim=True)
            y = R + GAMMA * (1 - D) * target(S2).gather(1, best).squeeze(1)
        pred = q(S).gather(1, A[:, None]).squeeze(1)
        loss = F.smooth_l1_loss(pred, y)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(q.parameters(), 10.0)
        opt.step()
        losses.append(loss.item())
    if step % SYNC == 0:
        target.load_state_dict(q.state_dict())
    if step % 1000 == 0:
        ret, solved = evaluate(q)
        print(f"step {step}  eps {eps:.2f}  td loss {np.mean(losses[-300:]):.5f}  eval return {ret:.3f}  solved {solved:.2f}")
ret, solved = evaluate(q, 200)
print(f"final greedy return {ret:.3f}, solved {solved:.3f}")
