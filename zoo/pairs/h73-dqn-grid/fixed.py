"""Double DQN on a 6x6 grid with pits; episodes cut by the step limit keep bootstrapping."""
import copy
import random
from collections import deque

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SIZE, LIMIT = 6, 30
PITS = {(1, 1), (2, 4), (3, 1), (4, 3)}
GOAL = (5, 5)
MOVES = [(0, 1), (0, -1), (1, 0), (-1, 0)]


class Grid:
    def reset(self):
        free = [(r, c) for r in range(SIZE) for c in range(SIZE) if (r, c) not in PITS and (r, c) != GOAL]
        self.pos, self.t = random.choice(free), 0
        return self.obs()

    def obs(self):
        v = np.zeros(2 * SIZE, dtype="float32")
        v[self.pos[0]] = v[SIZE + self.pos[1]] = 1.0
        return v

    def step(self, a):
        dr, dc = MOVES[a]
        self.pos = (min(max(self.pos[0] + dr, 0), SIZE - 1), min(max(self.pos[1] + dc, 0), SIZE - 1))
        self.t += 1
        if self.pos == GOAL:
            return self.obs(), 1.0, True, False
        if self.pos in PITS:
            return self.obs(), -1.0, True, False
        return self.obs(), -0.01, False, self.t >= LIMIT


def qnet():
    return nn.Sequential(nn.Linear(2 * SIZE, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))


def evaluate(net, env, episodes=50):
    score = 0.0
    for _ in range(episodes):
        s, over = env.reset(), False
        while not over:
            with torch.no_grad():
                a = int(net(torch.from_numpy(s)).argmax())
            s, r, terminated, truncated = env.step(a)
            over = terminated or truncated
            score += r
    return score / episodes


def main(steps=6000, gamma=0.95, batch=64, sync=100):
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)
    env, test_env = Grid(), Grid()
    net = qnet()
    target = copy.deepcopy(net).requires_grad_(False)
    opt = torch.optim.Adam(net.parameters(), lr=5e-4)
    buf = deque(maxlen=4000)
    s = env.reset()
    for step in range(1, steps + 1):
        eps = max(0.1, 1.0 - step / 3000)
        if random.random() < eps:
            a = random.randrange(4)
        else:
            with torch.no_grad():
                a = int(net(torch.from_numpy(s)).argmax())
        s2, r, terminated, truncated = env.step(a)
        buf.append((s, a, r, s2, terminated))
        s = env.reset() if terminated or truncated else s2
        if step >= 300:
            S, A, R, S2, D = zip(*random.sample(buf, batch))
            S, S2 = torch.from_numpy(np.stack(S)), torch.from_numpy(np.stack(S2))
            A, R, D = torch.tensor(A), torch.tensor(R), torch.tensor(D)
            with torch.no_grad():
                best = net(S2).argmax(1, keepdim=True)
                y = R + gamma * target(S2).gather(1, best).squeeze(1).masked_fill(D, 0.0)
            q = net(S).gather(1, A[:, None]).squeeze(1)
            loss = F.smooth_l1_loss(q, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        if step % sync == 0:
            target.load_state_dict(net.state_dict())
        if step % 600 == 0:
            print(f"step {step} eps {eps:.2f} loss {loss.item():.4f} mean q {q.mean().item():.3f} "
                  f"eval return {evaluate(net, test_env):.3f}")


if __name__ == "__main__":
    main()
