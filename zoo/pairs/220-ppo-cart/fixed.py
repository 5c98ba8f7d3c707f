"""PPO on a vectorised pole-balancing cart (numpy physics), single file in the CleanRL manner."""
import argparse

import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical


class CartPoles:
    """N carts stepped together; a finished one restarts by itself. Reward 1 per step, episodes end at `limit`."""

    def __init__(self, n, seed, limit=300):
        self.n, self.limit = n, limit
        self.rng = np.random.default_rng(seed)
        self.state = np.zeros((n, 4))
        self.age = np.zeros(n, dtype=int)

    def reset(self):
        self.state = self.rng.uniform(-0.05, 0.05, (self.n, 4))
        self.age[:] = 0
        return self.state.astype(np.float32)

    def step(self, action):
        x, v, th, om = self.state.T
        force = np.where(action == 1, 10.0, -10.0)
        c, s = np.cos(th), np.sin(th)
        tmp = (force + 0.05 * om ** 2 * s) / 1.1
        acc_th = (9.8 * s - c * tmp) / (0.5 * (4 / 3 - 0.1 * c ** 2 / 1.1))
        acc_x = tmp - 0.05 * acc_th * c / 1.1
        self.state = np.stack([x + 0.02 * v, v + 0.02 * acc_x, th + 0.02 * om, om + 0.02 * acc_th], 1)
        self.age += 1
        fell = (abs(self.state[:, 0]) > 2.4) | (abs(self.state[:, 2]) > 0.2095)
        timeout = (self.age >= self.limit) & ~fell
        reached = self.state.astype(np.float32)
        done = fell | timeout
        k = int(done.sum())
        if k:
            self.state[done] = self.rng.uniform(-0.05, 0.05, (k, 4))
            self.age[done] = 0
        reward = np.ones(self.n, dtype=np.float32)
        return self.state.astype(np.float32), reached, reward, fell, timeout


def layer(i, o, gain=2 ** 0.5):
    lin = nn.Linear(i, o)
    nn.init.orthogonal_(lin.weight, gain)
    nn.init.zeros_(lin.bias)
    return lin


class Agent(nn.Module):
    def __init__(self, hidden=64):
        super().__init__()
        self.actor = nn.Sequential(layer(4, hidden), nn.Tanh(), layer(hidden, hidden), nn.Tanh(), layer(hidden, 2, 0.01))
        self.critic = nn.Sequential(layer(4, hidden), nn.Tanh(), layer(hidden, hidden), nn.Tanh(), layer(hidden, 1, 1.0))

    def forward(self, obs):
        return Categorical(logits=self.actor(obs)), self.critic(obs).squeeze(-1)


def advantages(rewards, values, next_values, terminated, ended, gamma, lam):
    """GAE. next_values[t] belongs to the state reached at t, before any restart; traces stop where episodes end."""
    adv = torch.zeros_like(rewards)
    last = torch.zeros_like(rewards[0])
    for t in reversed(range(len(rewards))):
        delta = rewards[t] + gamma * next_values[t] * (1 - terminated[t]) - values[t]
        adv[t] = last = delta + gamma * lam * (1 - ended[t]) * last
    return adv, adv + values


def evaluate(agent, episodes=20, seed=999):
    env = CartPoles(episodes, seed)
    obs, lengths, running = env.reset(), np.zeros(episodes), np.ones(episodes, dtype=bool)
    while running.any():
        with torch.no_grad():
            action = agent.actor(torch.tensor(obs)).argmax(-1).numpy()
        obs, _, reward, fell, timeout = env.step(action)
        lengths += reward * running
        running &= ~(fell | timeout)
    return lengths.mean()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--envs", type=int, default=8)
    p.add_argument("--steps", type=int, default=128)
    p.add_argument("--updates", type=int, default=60)
    p.add_argument("--epochs", type=int, default=4)
    p.add_argument("--minibatch", type=int, default=256)
    p.add_argument("--lr", type=float, default=1.5e-3)
    p.add_argument("--gamma", type=float, default=0.98)
    p.add_argument("--lam", type=float, default=0.95)
    p.add_argument("--clip", type=float, default=0.2)
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    torch.manual_seed(a.seed)
    env, agent = CartPoles(a.envs, a.seed), Agent()
    opt = torch.optim.Adam(agent.parameters(), lr=a.lr, eps=1e-5)
    shape = (a.steps, a.envs)
    obs_buf, act_buf = torch.zeros(*shape, 4), torch.zeros(shape, dtype=torch.long)
    logp_buf, rew_buf, val_buf, next_val_buf, term_buf, end_buf = (torch.zeros(shape) for _ in range(6))
    obs, age = torch.tensor(env.reset()), np.zeros(a.envs)
    for update in range(a.updates):
        opt.param_groups[0]["lr"] = a.lr * (1 - update / a.updates)
        lengths = []
        for t in range(a.steps):
            obs_buf[t] = obs
            with torch.no_grad():
                dist, val_buf[t] = agent(obs)
                act_buf[t] = dist.sample()
                logp_buf[t] = dist.log_prob(act_buf[t])
                nxt, reached, reward, terminated, truncated = env.step(act_buf[t].numpy())
                next_val_buf[t] = agent(torch.tensor(reached))[1]
            done = terminated | truncated
            rew_buf[t], obs = torch.tensor(reward), torch.tensor(nxt)
            term_buf[t], end_buf[t] = torch.tensor(terminated).float(), torch.tensor(done).float()
            age += 1
            lengths.extend(age[done])
            age[done] = 0
        adv, ret = advantages(rew_buf, val_buf, next_val_buf, term_buf, end_buf, a.gamma, a.lam)
        flat = [v.flatten(0, 1) for v in (obs_buf, act_buf, logp_buf, adv, ret)]
        for _ in range(a.epochs):
            for idx in torch.randperm(a.steps * a.envs).split(a.minibatch):
                o, act, old, A, R = (v[idx] for v in flat)
                dist, value = agent(o)
                ratio = (dist.log_prob(act) - old).exp()
                A = (A - A.mean()) / (A.std() + 1e-8)
                pg = -torch.min(ratio * A, ratio.clamp(1 - a.clip, 1 + a.clip) * A).mean()
                v_loss = 0.5 * (value - R).pow(2).mean()
                loss = pg + 0.5 * v_loss - 0.005 * dist.entropy().mean()
                opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                opt.step()
        if update % 10 == 9 and lengths:
            print(f"update {update + 1} episode length {np.mean(lengths):.1f} value loss {v_loss.item():.3f}", flush=True)
    print(f"final greedy episode length {evaluate(agent):.1f}")


if __name__ == "__main__":
    main()
