import random
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    items: int = 8
    steps: int = 6000
    start: int = 500
    batch: int = 128
    gamma: float = 1.0
    lr: float = 1e-3
    sync: int = 200
    capacity: int = 20000
    eps_end: float = 0.05
    eps_steps: int = 3000
    seed: int = 3


class Packing:
    """Pick items one at a time until none of the remaining fits."""

    def __init__(self, cfg, seed):
        self.cfg = cfg
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.weight = self.rng.uniform(0.1, 0.7, self.cfg.items)
        self.value = self.rng.uniform(0.1, 1.0, self.cfg.items)
        self.free = np.ones(self.cfg.items, dtype=bool)
        self.room = 1.0
        return self.obs()

    def mask(self):
        return self.free & (self.weight <= self.room)

    def obs(self):
        return np.concatenate([self.weight, self.value, self.free, [self.room]]).astype(np.float32)

    def step(self, a):
        assert self.mask()[a]
        self.free[a] = False
        self.room -= self.weight[a]
        return self.obs(), float(self.value[a]), not self.mask().any()


class Replay:
    def __init__(self, cfg, n_obs):
        self.cap, self.n, self.ptr = cfg.capacity, 0, 0
        self.obs = np.zeros((self.cap, n_obs), np.float32)
        self.nxt = np.zeros((self.cap, n_obs), np.float32)
        self.nxt_mask = np.zeros((self.cap, cfg.items), bool)
        self.act = np.zeros(self.cap, np.int64)
        self.rew = np.zeros(self.cap, np.float32)
        self.done = np.zeros(self.cap, np.float32)

    def push(self, o, a, r, o2, m2, d):
        i = self.ptr
        self.obs[i], self.act[i], self.rew[i], self.nxt[i], self.nxt_mask[i], self.done[i] = o, a, r, o2, m2, d
        self.ptr = (i + 1) % self.cap
        self.n = min(self.n + 1, self.cap)

    def sample(self, k):
        i = np.random.randint(0, self.n, k)
        return [torch.from_numpy(x[i]) for x in (self.obs, self.act, self.rew, self.nxt, self.nxt_mask, self.done)]


def make_net(n_obs, n_act):
    return nn.Sequential(nn.Linear(n_obs, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, n_act))


def best_action(net, obs, mask):
    with torch.no_grad():
        q = net(torch.from_numpy(obs)[None])[0]
    return int(q.masked_fill(~torch.from_numpy(mask), -torch.inf).argmax())


def optimum(env):
    best = 0.0
    for bits in range(1 << env.cfg.items):
        pick = [(bits >> j) & 1 for j in range(env.cfg.items)]
        if np.dot(pick, env.weight) <= 1.0:
            best = max(best, float(np.dot(pick, env.value)))
    return best


def evaluate(net, cfg, episodes=100):
    env = Packing(cfg, seed=777)
    got = top = 0.0
    for _ in range(episodes):
        obs = env.reset()
        top += optimum(env)
        done = False
        while not done:
            obs, r, done = env.step(best_action(net, obs, env.mask()))
            got += r
    return got / top


def main(cfg):
    random.seed(cfg.seed)
    np.random.seed(cfg.seed)
    torch.manual_seed(cfg.seed)
    torch.set_num_threads(1)
    env = Packing(cfg, cfg.seed)
    obs = env.reset()
    q, target = make_net(obs.size, cfg.items), make_net(obs.size, cfg.items)
    target.load_state_dict(q.state_dict())
    opt = torch.optim.Adam(q.parameters(), lr=cfg.lr)
    buf = Replay(cfg, obs.size)
    total, returns = 0.0, []

    for step in range(1, cfg.steps + 1):
        eps = max(cfg.eps_end, 1.0 - step / cfg.eps_steps)
        mask = env.mask()
        a = int(np.random.choice(np.nonzero(mask)[0])) if random.random() < eps else best_action(q, obs, mask)
        nxt, r, done = env.step(a)
        total += r
        buf.push(obs, a, r, nxt, env.mask(), done)
        obs = nxt
        if done:
            returns.append(total)
            total = 0.0
            obs = env.reset()
        if step < cfg.start:
            continue
        o, act, rew, o2, m2, d = buf.sample(cfg.batch)
        with torch.no_grad():
            nxt_q = target(o2).masked_fill(~m2, -1e9).max(1).values
            nxt_q = torch.where(d > 0, torch.zeros_like(nxt_q), nxt_q)
            y = rew + cfg.gamma * nxt_q
        pred = q(o).gather(1, act[:, None]).squeeze(1)
        loss = F.smooth_l1_loss(pred, y)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(q.parameters(), 10.0)
        opt.step()
        if step % cfg.sync == 0:
            target.load_state_dict(q.state_dict())
        if step % 1000 == 0:
            print(f"step {step}  loss {loss.item():.4f}  q {pred.mean().item():.2f}  return {np.mean(returns[-100:]):.3f}")
    print(f"held-out share of the optimum: {evaluate(q, cfg):.4f}")


if __name__ == "__main__":
    main(Config())
