# PPO on a hand-written cart and pole, many copies stepped together.
import argparse
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

torch.set_num_threads(1)


@dataclass
class Config:
    seed: int = 0
    envs: int = 16
    steps: int = 128
    iterations: int = 30
    epochs: int = 6
    minibatch: int = 256
    gamma: float = 0.99
    lam: float = 0.95
    clip: float = 0.2
    lr: float = 1e-3
    ent: float = 0.005


class CartPoles:
    G, M, m, L, F, DT = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02

    def __init__(self, n, seed, limit=300):
        self.n, self.limit = n, limit
        self.rng = np.random.default_rng(seed)
        self.s = self._fresh(n)
        self.age = np.zeros(n, dtype=int)

    def _fresh(self, k):
        return self.rng.uniform(-0.1, 0.1, size=(k, 4))

    def observe(self):
        return torch.tensor(self.s, dtype=torch.float32)

    def step(self, a):
        x, xd, th, thd = self.s.T
        force = np.where(a == 1, self.F, -self.F)
        c, s = np.cos(th), np.sin(th)
        tmp = (force + self.m * self.L * thd ** 2 * s) / (self.M + self.m)
        tha = (self.G * s - c * tmp) / (self.L * (4 / 3 - self.m * c ** 2 / (self.M + self.m)))
        xa = tmp - self.m * self.L * tha * c / (self.M + self.m)
        self.s = np.stack([x + self.DT * xd, xd + self.DT * xa, th + self.DT * thd, thd + self.DT * tha], axis=1)
        self.age += 1
        fell = (np.abs(self.s[:, 0]) > 2.4) | (np.abs(self.s[:, 2]) > 0.21)
        over = self.age >= self.limit
        end = fell | over
        reward = np.where(fell, 0.0, 1.0)
        lengths = self.age[end].tolist()
        if end.any():
            self.s[end] = self._fresh(int(end.sum()))
            self.age[end] = 0
        return reward, end, lengths


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2))
        self.critic = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
        nn.init.orthogonal_(self.actor[-1].weight, 0.01)

    def policy(self, o):
        return Categorical(logits=self.actor(o))

    def value(self, o):
        return self.critic(o).squeeze(-1)


def gae_one(rew, val, end, last_val, cfg):
    """Advantages and value targets of one environment's stretch, shape (steps, 2)."""
    steps = len(rew)
    out = torch.zeros(steps, 2)
    acc, nxt = 0.0, last_val
    for t in reversed(range(steps)):
        live = 1.0 - end[t]
        delta = rew[t] + cfg.gamma * nxt * live - val[t]
        acc = delta + cfg.gamma * cfg.lam * live * acc
        out[t, 0] = acc
        out[t, 1] = acc + val[t]
        nxt = val[t]
    return out


def rollout(env, agent, cfg):
    O, A, LP, V, R, E, finished = [], [], [], [], [], [], []
    for _ in range(cfg.steps):
        o = env.observe()
        with torch.no_grad():
            d = agent.policy(o)
            a = d.sample()
            O.append(o); A.append(a); LP.append(d.log_prob(a)); V.append(agent.value(o))
        r, e, lengths = env.step(a.numpy())
        R.append(torch.tensor(r, dtype=torch.float32) * 0.1)
        E.append(torch.tensor(e, dtype=torch.float32))
        finished += lengths
    with torch.no_grad():
        last = agent.value(env.observe())
    O, A, LP, V, R, E = (torch.stack(z) for z in (O, A, LP, V, R, E))
    columns = [gae_one(R[:, i].tolist(), V[:, i].tolist(), E[:, i].tolist(), float(last[i]), cfg) for i in range(cfg.envs)]
    targets = torch.stack(columns, dim=1).reshape(-1, 2)
    return O.reshape(-1, 4), A.reshape(-1), LP.reshape(-1), targets[:, 0], targets[:, 1], finished


def learn(agent, opt, data, cfg):
    o, a, lp, adv, ret, _ = data
    for _ in range(cfg.epochs):
        for idx in torch.randperm(len(o)).split(cfg.minibatch):
            d = agent.policy(o[idx])
            ratio = (d.log_prob(a[idx]) - lp[idx]).exp()
            g = adv[idx]
            g = (g - g.mean()) / (g.std() + 1e-8)
            actor = -torch.min(ratio * g, ratio.clamp(1 - cfg.clip, 1 + cfg.clip) * g).mean()
            critic = nn.functional.mse_loss(agent.value(o[idx]), ret[idx])
            loss = actor + 0.5 * critic - cfg.ent * d.entropy().mean()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            opt.step()
    return actor.item(), critic.item()


@torch.no_grad()
def evaluate(agent, seed=777, n=100):
    env = CartPoles(n, seed)
    alive = np.ones(n, dtype=bool)
    total = np.zeros(n)
    for _ in range(env.limit):
        a = agent.policy(env.observe()).probs.argmax(-1).numpy()
        r, e, _ = env.step(a)
        total += r * alive
        alive &= ~e
    return total.mean()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    cfg = Config(seed=ap.parse_args().seed)
    torch.manual_seed(cfg.seed)
    env, agent = CartPoles(cfg.envs, cfg.seed), Agent()
    opt = torch.optim.Adam(agent.parameters(), lr=cfg.lr, eps=1e-5)
    for it in range(cfg.iterations):
        data = rollout(env, agent, cfg)
        pi, vf = learn(agent, opt, data, cfg)
        if it % 3 == 2:
            mean_len = np.mean(data[-1]) if data[-1] else float("nan")
            print(f"iter {it + 1:3d} actor {pi:+.4f} critic {vf:.4f} train_len {mean_len:.1f} eval {evaluate(agent):.1f}")
    print(f"final eval return: {evaluate(agent, seed=4242, n=200):.2f} (max 300)")


if __name__ == "__main__":
    main()
