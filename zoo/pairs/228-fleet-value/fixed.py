"""
Fitted value estimation for a machine-maintenance policy from logged episodes.

The log holds windows of 8 steps from 150 machines. We learn V(s) with TD(0) + target network and compare it with long Monte-Carlo rollouts.
"""
import copy

import numpy as np
import torch
import torch.nn as nn

GAMMA = 0.97
WINDOW = 8
SEED = 0


class Machines:
    """Vectorised env. state = (wear, load, temperature); policy: service when wear > 0.7."""

    def __init__(self, n, rng):
        self.n, self.rng = n, rng
        self.state = np.zeros((n, 3), dtype=np.float64)
        self.t = np.zeros(n, dtype=int)
        self.reset(np.ones(n, dtype=bool))

    def reset(self, mask):
        k = mask.sum()
        self.state[mask] = np.stack(
            [self.rng.uniform(0, 0.9, k), self.rng.uniform(0.2, 1.0, k), self.rng.normal(0, 0.3, k)], 1
        )
        self.t[mask] = 0

    def step(self):
        wear, load, temp = self.state.T.copy()
        service = wear > 0.7
        reward = np.where(service, -1.5, 1.2 * load - 0.4 * wear)
        wear = np.where(service, 0.05, wear + 0.05 * load + 0.03 * np.abs(temp) * self.rng.random(self.n))
        load = np.clip(load + self.rng.normal(0, 0.08, self.n), 0.2, 1.0)
        temp = 0.9 * temp + self.rng.normal(0, 0.2, self.n)
        p_break = 0.004 + 0.02 * np.maximum(wear - 0.6, 0)
        broken = self.rng.random(self.n) < p_break
        self.state = np.stack([wear, load, temp], 1)
        self.t += 1
        timeout = (self.t >= WINDOW) & ~broken
        return self.state.copy(), reward, broken, timeout


def collect(steps, n_envs, rng):
    env = Machines(n_envs, rng)
    rows = {k: [] for k in ("obs", "reward", "next_obs", "terminated", "truncated")}
    for _ in range(steps):
        obs = env.state.copy()
        nxt, r, term, trunc = env.step()
        for k, v in zip(rows, (obs, r, nxt, term, trunc)):
            rows[k].append(v)
        env.reset(term | trunc)
    return {k: torch.as_tensor(np.concatenate(v), dtype=torch.float32) for k, v in rows.items()}


def monte_carlo(states, rng, horizon=300, copies=150):
    n = len(states)
    env = Machines(n * copies, rng)
    env.state = np.repeat(states, copies, axis=0)
    alive, disc = np.ones(n * copies), 1.0
    total = np.zeros(n * copies)
    for _ in range(horizon):
        _, r, term, _ = env.step()
        total += disc * alive * r
        alive *= 1 - term
        disc *= GAMMA
    return total.reshape(n, copies).mean(1)


class ValueNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(3, 64), nn.ELU(), nn.Linear(64, 64), nn.ELU(), nn.Linear(64, 1))

    def forward(self, s):
        return self.f(s).squeeze(-1)


rng = np.random.default_rng(SEED)
torch.manual_seed(SEED)

buffer = collect(steps=200, n_envs=150, rng=rng)
n = len(buffer["obs"])
print(f"{n} transitions, {int(buffer['terminated'].sum())} breakdowns, {int(buffer['truncated'].sum())} log rotations")

env = Machines(200, rng)
eval_states = env.state.copy()
truth = monte_carlo(eval_states, rng)
print(f"monte carlo value: mean {truth.mean():.2f} sd {truth.std():.2f}")

value = ValueNet()
target = copy.deepcopy(value).requires_grad_(False)
opt = torch.optim.Adam(value.parameters(), lr=1e-3)
td_loss = nn.MSELoss()

done = buffer["terminated"]

UPDATES = 8000
for step in range(1, UPDATES + 1):
    idx = torch.randint(n, (256,))
    with torch.no_grad():
        y = buffer["reward"][idx] + GAMMA * (1 - done[idx]) * target(buffer["next_obs"][idx])
    loss = td_loss(value(buffer["obs"][idx]), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for p, tp in zip(value.parameters(), target.parameters()):
            tp.lerp_(p, 0.02)
    if step == UPDATES * 2 // 3:
        for g in opt.param_groups:
            g["lr"] = 2e-4
    if step % 1000 == 0:
        with torch.no_grad():
            v = value(torch.as_tensor(eval_states, dtype=torch.float32)).numpy()
        print(f"update {step:5d} td loss {loss.item():.4f} mean value {v.mean():.2f}")

with torch.no_grad():
    v = value(torch.as_tensor(eval_states, dtype=torch.float32)).numpy()
rmse = float(np.sqrt(((v - truth) ** 2).mean()))
print(f"value RMSE vs Monte Carlo: {rmse:.4f}")
