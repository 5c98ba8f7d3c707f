"""PPO on a small vectorised pole-balancing environment, single file."""
import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical


class VecPole:
    """N independent cart-poles with automatic reset; `done` is reported with the first observation of the next episode."""
    def __init__(self, n, seed=0, limit=300):
        self.n, self.limit, self.rng = n, limit, np.random.default_rng(seed)
        self.s, self.t = np.zeros((n, 4), dtype="float32"), np.zeros(n, dtype=int)

    def _fresh(self, k):
        return self.rng.uniform(-0.05, 0.05, (k, 4))

    def _obs(self):
        return self.s

    def reset(self):
        self.s[:], self.t[:] = self._fresh(self.n), 0
        return self._obs()

    def step(self, action):
        x, v, th, w = self.s.T
        force = np.where(action == 1, 10.0, -10.0)
        tmp = (force + 0.05 * w ** 2 * np.sin(th)) / 1.1
        acc = (9.8 * np.sin(th) - np.cos(th) * tmp) / (0.5 * (4 / 3 - 0.1 * np.cos(th) ** 2 / 1.1))
        a = tmp - 0.05 * acc * np.cos(th) / 1.1
        self.s += 0.02 * np.stack([v, a, w, acc], axis=1)
        self.t += 1
        done = (np.abs(self.s[:, 0]) > 2.4) | (np.abs(self.s[:, 2]) > 0.21) | (self.t >= self.limit)
        finished = self.t[done].tolist()
        self.s[done], self.t[done] = self._fresh(done.sum()), 0
        return self._obs(), np.ones(self.n, dtype="float32"), done, finished


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2))
        self.critic = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))

    def dist(self, obs):
        return Categorical(logits=self.actor(obs))

    def value(self, obs):
        return self.critic(obs).squeeze(-1)


def gae(rewards, values, dones, gamma, lam):
    """values and dones hold one extra row for the observation that follows the rollout."""
    adv = torch.zeros_like(rewards)
    last = torch.zeros(rewards.shape[1])
    for t in reversed(range(len(rewards))):
        nonterminal = 1.0 - dones[t + 1]
        delta = rewards[t] + gamma * values[t + 1] * nonterminal - values[t]
        last = delta + gamma * lam * nonterminal * last
        adv[t] = last
    return adv, adv + values[:-1]


def main(n_envs=8, n_steps=128, updates=30, gamma=0.98, lam=0.95, clip=0.2, seed=1):
    torch.manual_seed(seed)
    env, agent = VecPole(n_envs, seed), Agent()
    opt = torch.optim.Adam(agent.parameters(), lr=1e-3, eps=1e-5)
    next_obs, next_done = torch.from_numpy(env.reset()), torch.zeros(n_envs)
    lengths = []
    for update in range(1, updates + 1):
        obs = []
        actions, logps, rewards = (torch.zeros(n_steps, n_envs) for _ in range(3))
        values, dones = torch.zeros(n_steps + 1, n_envs), torch.zeros(n_steps + 1, n_envs)
        for t in range(n_steps):
            obs.append(next_obs)
            dones[t] = next_done
            with torch.no_grad():
                d = agent.dist(next_obs)
                a = d.sample()
                actions[t], logps[t], values[t] = a, d.log_prob(a), agent.value(next_obs)
            o, r, done, finished = env.step(a.numpy())
            lengths += finished
            next_obs, next_done, rewards[t] = torch.from_numpy(o), torch.from_numpy(done).float(), torch.from_numpy(r)
        with torch.no_grad():
            values[-1], dones[-1] = agent.value(next_obs), next_done
        adv, returns = gae(rewards, values, dones, gamma, lam)

        b_obs, b_act, b_logp = torch.cat(obs), actions.flatten(), logps.flatten()
        b_adv, b_ret = adv.flatten(), returns.flatten()
        for _ in range(6):
            for idx in torch.randperm(len(b_obs)).split(256):
                d = agent.dist(b_obs[idx])
                ratio = (d.log_prob(b_act[idx]) - b_logp[idx]).exp()
                A = (b_adv[idx] - b_adv[idx].mean()) / (b_adv[idx].std() + 1e-8)
                pg = -torch.min(ratio * A, ratio.clamp(1 - clip, 1 + clip) * A).mean()
                v_loss = 0.5 * (agent.value(b_obs[idx]) - b_ret[idx]).pow(2).mean()
                loss = pg + 0.5 * v_loss - 0.01 * d.entropy().mean()
                opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                opt.step()
        if update % 3 == 0:
            recent = np.mean(lengths[-30:])
            print(f"update {update:2d} episode length {recent:6.1f} value loss {v_loss.item():.2f}")


if __name__ == "__main__":
    main()
