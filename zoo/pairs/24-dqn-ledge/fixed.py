"""Double-style DQN on a two-track ledge walk with a cliff."""
import random
from collections import deque

import torch
from torch import nn


class Ledge:
    """Position 0..9 on a narrow or a wide track. The narrow one is faster but may end in a fall."""
    LENGTH = 10

    def __init__(self, rng):
        self.rng = rng

    def reset(self):
        self.x, self.wide, self.t = 0, 1, 0
        return self.obs()

    def obs(self):
        return [self.x / self.LENGTH, float(self.wide), self.t / 40]

    def step(self, action):
        """0: walk, 1: change track, 2: rest"""
        self.t += 1
        reward, done = -0.05, False
        if action == 1:
            self.wide = 1 - self.wide
        elif action == 0:
            self.x += 1 if self.wide else 2
            if not self.wide and self.rng.random() < 0.3:
                reward, done = -0.5, True
        else:
            reward = 0.0
        if not done and self.x >= self.LENGTH:
            reward, done = 2.0, True
        return self.obs(), reward, done or self.t >= 40, done


def qnet():
    return nn.Sequential(nn.Linear(3, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 3))


class Agent:
    def __init__(self, gamma=0.97, lr=1e-3):
        self.q, self.target = qnet(), qnet()
        self.target.load_state_dict(self.q.state_dict())
        self.opt = torch.optim.Adam(self.q.parameters(), lr=lr)
        self.memory = deque(maxlen=10000)
        self.gamma, self.updates = gamma, 0

    def act(self, obs, eps):
        if random.random() < eps:
            return random.randrange(3)
        with torch.no_grad():
            return int(self.q(torch.tensor(obs)).argmax())

    def learn(self, batch=64):
        rows = random.sample(self.memory, batch)
        o, a, r, o2, term = (torch.tensor(c) for c in zip(*rows))
        with torch.no_grad():
            best = self.q(o2).argmax(1, keepdim=True)
            nxt = self.target(o2).gather(1, best).squeeze(1)
            goal = r + self.gamma * nxt * (1 - term)
        q = self.q(o).gather(1, a[:, None]).squeeze(1)
        loss = nn.functional.smooth_l1_loss(q, goal)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.updates += 1
        if self.updates % 100 == 0:
            self.target.load_state_dict(self.q.state_dict())


def episode(env, agent, eps, learn):
    obs, total, over, steps = env.reset(), 0.0, False, 0
    while not over:
        a = agent.act(obs, eps)
        obs2, r, over, terminal = env.step(a)
        if learn:
            agent.memory.append((obs, a, r, obs2, float(terminal)))
            if len(agent.memory) > 500 and steps % 2 == 0:
                agent.learn()
        obs, total, steps = obs2, total + r, steps + 1
    return total


def main(episodes=200):
    random.seed(5)
    torch.manual_seed(5)
    env, agent = Ledge(random.Random(50)), Agent()
    recent = deque(maxlen=25)
    for k in range(episodes):
        eps = max(0.05, 1 - k / 120)
        recent.append(episode(env, agent, eps, learn=True))
        if (k + 1) % 25 == 0:
            print(f"episode {k + 1:4d} eps {eps:.2f} avg return {sum(recent) / len(recent):+.3f}")
    env = Ledge(random.Random(51))
    scores = [episode(env, agent, 0.0, learn=False) for _ in range(100)]
    print(f"greedy policy: average return {sum(scores) / len(scores):+.3f}")


if __name__ == "__main__":
    main()
