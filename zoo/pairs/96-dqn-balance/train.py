"""Double DQN on a small stochastic balancing task (batched environments, time limit of 100 steps)."""
import copy

import numpy as np
import torch
import torch.nn as nn

N_ENVS, MAX_STEPS, GAMMA = 8, 100, 0.97
TOTAL_ITERS, WARMUP, BATCH = 2500, 150, 64


class BalanceEnv:
    """Keep an unstable mass inside [-1, 1]; +1 for every step it stays there."""

    def __init__(self, n, seed):
        self.n, self.rng = n, np.random.default_rng(seed)
        self.x, self.v, self.t = np.zeros(n), np.zeros(n), np.zeros(n, dtype=int)
        self._reset(np.ones(n, dtype=bool))

    def _reset(self, mask):
        k = int(mask.sum())
        self.x[mask] = self.rng.uniform(-0.3, 0.3, k)
        self.v[mask] = self.rng.uniform(-0.1, 0.1, k)
        self.t[mask] = 0

    def observe(self):
        return np.stack([self.x, 3 * self.v], axis=1).astype(np.float32)

    def step(self, actions):
        force = (actions - 1) * 0.035
        self.v = self.v + 0.03 * self.x + force + self.rng.normal(0, 0.008, self.n)
        self.x = self.x + self.v
        self.t += 1
        terminated = np.abs(self.x) > 1.0
        truncated = (self.t >= MAX_STEPS) & ~terminated
        rewards = np.ones(self.n, dtype=np.float32)
        final_obs = self.observe()
        lengths = self.t[terminated | truncated].tolist()
        self._reset(terminated | truncated)
        return final_obs, rewards, terminated, truncated, lengths


class ReplayBuffer:
    def __init__(self, capacity):
        self.capacity, self.size, self.pos = capacity, 0, 0
        self.obs = torch.zeros(capacity, 2)
        self.next_obs = torch.zeros(capacity, 2)
        self.act = torch.zeros(capacity, dtype=torch.long)
        self.rew = torch.zeros(capacity)
        self.done = torch.zeros(capacity)

    def add(self, obs, act, rew, next_obs, done):
        idx = (self.pos + np.arange(len(obs))) % self.capacity
        self.obs[idx] = torch.from_numpy(obs)
        self.next_obs[idx] = torch.from_numpy(next_obs)
        self.act[idx] = torch.from_numpy(act)
        self.rew[idx] = torch.from_numpy(rew)
        self.done[idx] = torch.from_numpy(done.astype(np.float32))
        self.pos = int((self.pos + len(obs)) % self.capacity)
        self.size = min(self.size + len(obs), self.capacity)

    def sample(self, n):
        idx = torch.randint(0, self.size, (n,))
        return self.obs[idx], self.act[idx], self.rew[idx], self.next_obs[idx], self.done[idx]


def evaluate(q_net, episodes=40):
    env, lengths = BalanceEnv(episodes, seed=999), []
    while len(lengths) < episodes:
        with torch.no_grad():
            actions = q_net(torch.from_numpy(env.observe())).argmax(1).numpy()
        lengths += env.step(actions)[-1]
    return float(np.mean(lengths))


def main():
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    env = BalanceEnv(N_ENVS, seed=1)
    buffer = ReplayBuffer(20_000)
    q_net = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3))
    target_net = copy.deepcopy(q_net)
    optimizer = torch.optim.Adam(q_net.parameters(), lr=1e-3)
    recent, losses = [], []

    for it in range(1, TOTAL_ITERS + 1):
        eps = max(0.05, 1.0 - it / 1000)
        obs = env.observe()
        with torch.no_grad():
            greedy = q_net(torch.from_numpy(obs)).argmax(1).numpy()
        actions = np.where(rng.random(N_ENVS) < eps, rng.integers(0, 3, N_ENVS), greedy)
        next_obs, rewards, terminated, truncated, lengths = env.step(actions)
        buffer.add(obs, actions, rewards, next_obs, truncated)
        recent += lengths

        if it > WARMUP:
            s, a, r, s2, d = buffer.sample(BATCH)
            with torch.no_grad():
                best = q_net(s2).argmax(1, keepdim=True)
                target = r + GAMMA * (1 - d) * target_net(s2).gather(1, best).squeeze(1)
            q = q_net(s).gather(1, a.unsqueeze(1)).squeeze(1)
            loss = nn.functional.smooth_l1_loss(q, target)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(q_net.parameters(), 10.0)
            optimizer.step()
            losses.append(loss.item())
        if it % 100 == 0:
            target_net.load_state_dict(q_net.state_dict())
        if it % 250 == 0:
            print(f"iter {it} eps {eps:.2f} td loss {np.mean(losses[-250:]):.4f} "
                  f"episode length {np.mean(recent[-40:]):.1f}")

    print(f"greedy evaluation: mean episode length {evaluate(q_net):.1f} / {MAX_STEPS}")


if __name__ == "__main__":
    main()
