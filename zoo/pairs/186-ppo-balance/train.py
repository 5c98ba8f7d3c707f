"""PPO with generalised advantage estimation on a vectorised pole-balancing task (own physics)."""
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical


@dataclass
class Config:
    envs: int = 16
    horizon: int = 64
    updates: int = 60
    gamma: float = 0.98
    lam: float = 0.95
    clip: float = 0.2
    epochs: int = 5
    minibatch: int = 256
    entropy: float = 0.003
    lr: float = 3e-3
    max_steps: int = 200
    seed: int = 0


class PoleEnv:
    """N carts with a pole; +1 per step, done when the pole falls or the cart leaves the track."""

    def __init__(self, n, max_steps, seed):
        self.n, self.max_steps = n, max_steps
        self.rng = np.random.default_rng(seed)
        self.state = np.zeros((n, 4))
        self.steps = np.zeros(n, dtype=int)
        self.reset(np.ones(n, dtype=bool))

    def reset(self, which):
        self.state[which] = self.rng.uniform(-0.05, 0.05, (which.sum(), 4))
        self.steps[which] = 0
        return self.obs()

    def obs(self):
        return torch.tensor(self.state * [0.5, 0.5, 5.0, 0.7], dtype=torch.float32)

    def step(self, action):
        x, v, th, w = self.state.T
        force = np.where(action == 1, 10.0, -10.0)
        tmp = (force + 0.05 * w ** 2 * np.sin(th)) / 1.1
        acc = (9.8 * np.sin(th) - np.cos(th) * tmp) / (0.5 * (4 / 3 - 0.1 * np.cos(th) ** 2 / 1.1))
        xacc = tmp - 0.05 * acc * np.cos(th) / 1.1
        self.state = np.stack([x + 0.02 * v, v + 0.02 * xacc, th + 0.02 * w, w + 0.02 * acc], 1)
        self.steps += 1
        fallen = (np.abs(self.state[:, 2]) > 0.21) | (np.abs(self.state[:, 0]) > 2.4)
        timeout = (self.steps >= self.max_steps) & ~fallen
        reward = np.ones(self.n)
        final_obs = self.obs()
        if (fallen | timeout).any():
            self.reset(fallen | timeout)
        return self.obs(), final_obs, reward, fallen, timeout


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2))
        self.critic = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))

    def value(self, obs):
        return self.critic(obs).squeeze(-1)

    def dist(self, obs):
        return Categorical(logits=self.actor(obs))


def gae(rewards, values, next_values, terminal, cut, cfg):
    """All inputs are (envs, horizon)."""
    adv = torch.zeros_like(rewards)
    last = torch.zeros(rewards.shape[0])
    for t in reversed(range(rewards.shape[1])):
        delta = rewards[:, t] + cfg.gamma * next_values[:, t] * (1 - terminal[:, t]) - values[:, t]
        last = delta + cfg.gamma * cfg.lam * (1 - cut[:, t]) * last
        adv[:, t] = last
    return adv


@torch.no_grad()
def collect(model, env, obs, cfg):
    rows = {k: [] for k in ("obs", "act", "logp", "rew", "val", "nval", "term", "cut")}
    for _ in range(cfg.horizon):
        dist = model.dist(obs)
        act = dist.sample()
        nxt, final, rew, fallen, timeout = env.step(act.numpy())
        for k, v in dict(obs=obs, act=act, logp=dist.log_prob(act), rew=torch.tensor(rew, dtype=torch.float32),
                         val=model.value(obs), nval=model.value(final), term=torch.tensor(fallen).float(),
                         cut=torch.tensor(fallen | timeout).float()).items():
            rows[k].append(v)
        obs = nxt
    out = {k: torch.stack(v) for k, v in rows.items()}
    per_env = [out[k].T for k in ("rew", "val", "nval", "term", "cut")]
    adv = gae(*per_env, cfg)
    out["ret"] = adv.T + out["val"]
    out["adv"] = adv.reshape(cfg.horizon, cfg.envs)
    return {k: v.reshape(cfg.horizon * cfg.envs, *v.shape[2:]) for k, v in out.items()}, obs


def update(model, opt, data, cfg):
    adv = (data["adv"] - data["adv"].mean()) / (data["adv"].std() + 1e-8)
    sums = np.zeros(2)
    for _ in range(cfg.epochs):
        for idx in torch.randperm(len(adv)).split(cfg.minibatch):
            dist = model.dist(data["obs"][idx])
            ratio = (dist.log_prob(data["act"][idx]) - data["logp"][idx]).exp()
            clipped = ratio.clamp(1 - cfg.clip, 1 + cfg.clip)
            policy = -torch.min(ratio * adv[idx], clipped * adv[idx]).mean()
            value = (model.value(data["obs"][idx]) - data["ret"][idx]).pow(2).mean()
            loss = policy + 0.5 * value - cfg.entropy * dist.entropy().mean()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            opt.step()
            sums += policy.item(), value.item()
    return sums / (cfg.epochs * len(adv) / cfg.minibatch)


@torch.no_grad()
def evaluate(model, cfg, seed=1234):
    env = PoleEnv(20, cfg.max_steps, seed)
    obs, alive, total = env.obs(), np.ones(20, dtype=bool), np.zeros(20)
    for _ in range(cfg.max_steps):
        obs, _, rew, fallen, timeout = env.step(model.dist(obs).probs.argmax(-1).numpy())
        total += rew * alive
        alive &= ~(fallen | timeout)
    return total.mean()


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    env = PoleEnv(cfg.envs, cfg.max_steps, cfg.seed)
    model = ActorCritic()
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr, eps=1e-5)
    obs = env.obs()
    for it in range(cfg.updates):
        for g in opt.param_groups:
            g["lr"] = cfg.lr * (1 - it / cfg.updates)
        data, obs = collect(model, env, obs, cfg)
        policy, value = update(model, opt, data, cfg)
        if it % 5 == 4:
            print(f"update {it + 1:3d} policy loss {policy:+.4f} value loss {value:.3f} return {evaluate(model, cfg):.1f}")
    print(f"final mean return {evaluate(model, cfg, seed=77):.2f} of {cfg.max_steps}")


if __name__ == "__main__":
    main()
