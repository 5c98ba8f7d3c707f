"""DQN for a small windy-corridor task."""
import random
from collections import deque
from types import SimpleNamespace

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

cfg = SimpleNamespace(
    seed=2, total_steps=7000, learn_start=500, train_every=2, batch_size=64, buffer=7000,
    gamma=0.97, lr=1e-3, eps_start=1.0, eps_end=0.05, eps_steps=4000, target_every=100, tau=0.005,
)


class WindyCorridor:
    """Walk from x=0 to x=1 without touching the walls; the side wind changes along the way."""
    n_actions = 3

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.x, self.y, self.t = 0.0, float(self.rng.uniform(-0.3, 0.3)), 0
        return self._obs()

    def _obs(self):
        return np.array([2 * self.x - 1, self.y], dtype=np.float32)

    def step(self, a):
        wind = 0.22 * np.sin(9.0 * self.x)
        self.y += 0.25 * (a - 1) + wind + float(self.rng.normal(0, 0.03))
        self.x += 0.05 if a == 1 else 0.03
        self.t += 1
        crashed = abs(self.y) > 0.8
        arrived = self.x >= 1.0
        reward = 1.0 if arrived and not crashed else 0.0
        return self._obs(), reward, crashed or arrived


class QNet(nn.Module):
    def __init__(self, n_obs=2, n_act=3, h=64):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_obs, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU(), nn.Linear(h, n_act))

    def forward(self, x):
        return self.net(x)


class DQN:
    def __init__(self):
        self.q, self.target = QNet(), QNet()
        self.target.load_state_dict(self.q.state_dict())
        self.opt = torch.optim.Adam(self.q.parameters(), lr=cfg.lr)
        self.memory = deque(maxlen=cfg.buffer)

    def act(self, obs, eps):
        if random.random() < eps:
            return random.randrange(3)
        with torch.no_grad():
            return int(self.q(torch.from_numpy(obs)).argmax())

    def learn(self):
        batch = random.sample(self.memory, cfg.batch_size)
        s, a, r, s2, d = (np.array(v) for v in zip(*batch))
        s, s2 = torch.from_numpy(s), torch.from_numpy(s2)
        a = torch.from_numpy(a).unsqueeze(1)
        r, d = torch.tensor(r, dtype=torch.float32), torch.tensor(d, dtype=torch.float32)
        with torch.no_grad():
            best = self.q(s2).argmax(1, keepdim=True)
            y = r + cfg.gamma * (1 - d) * self.target(s2).gather(1, best).squeeze(1)
        loss = F.smooth_l1_loss(self.q(s).gather(1, a).squeeze(1), y)
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.q.parameters(), 10.0)
        self.opt.step()
        return loss.item()

    @torch.no_grad()
    def update_target(self):
        for pt, p in zip(self.target.parameters(), self.q.parameters()):
            pt.mul_(1 - cfg.tau).add_(p, alpha=cfg.tau)


def evaluate(agent, episodes=60):
    env, wins, steps = WindyCorridor(777), 0, 0
    for _ in range(episodes):
        obs, done = env.reset(), False
        while not done:
            obs, r, done = env.step(agent.act(obs, 0.0))
            steps += 1
        wins += r
    return wins / episodes, steps / episodes


def main():
    random.seed(cfg.seed)
    torch.manual_seed(cfg.seed)
    env, agent = WindyCorridor(cfg.seed), DQN()
    obs, losses = env.reset(), deque(maxlen=200)
    for step in range(1, cfg.total_steps + 1):
        eps = max(cfg.eps_end, cfg.eps_start - (cfg.eps_start - cfg.eps_end) * step / cfg.eps_steps)
        a = agent.act(obs, eps)
        nxt, r, done = env.step(a)
        agent.memory.append((obs, a, r, nxt, float(done)))
        obs = env.reset() if done else nxt
        if step >= cfg.learn_start and step % cfg.train_every == 0:
            losses.append(agent.learn())
        if step % cfg.target_every == 0:
            agent.update_target()
        if step % 1000 == 0:
            win, length = evaluate(agent, 20)
            q0 = agent.q(torch.tensor([[-1.0, 0.0]])).max().item()
            print(f"step {step} eps {eps:.2f} loss {np.mean(losses):.5f} Q(start) {q0:.3f} arrive {win:.2f} length {length:.1f}")
    win, length = evaluate(agent)
    print(f"final arrival rate {win:.3f} mean length {length:.1f}")


if __name__ == "__main__":
    main()
