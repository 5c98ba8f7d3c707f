"""PPO on a vectorised grid with obstacles (numpy env, no gym)."""
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical


class VecGrid:
    """N independent 7x7 grids. Reach the goal cell; -0.02 per step, +1 at the goal, 40 steps at most."""
    SIZE, LIMIT = 7, 40
    MOVES = np.array([[0, 1], [0, -1], [1, 0], [-1, 0]])

    def __init__(self, n, seed):
        self.n, self.rng = n, np.random.default_rng(seed)
        self.walls = np.zeros((7, 7), bool)
        self.walls[3, 1:6] = True
        self.pos, self.goal = np.zeros((n, 2), int), np.zeros((n, 2), int)
        self.t = np.zeros(n, int)

    def _place(self, i):
        free = np.argwhere(~self.walls)
        a, b = self.rng.choice(len(free), 2, replace=False)
        self.pos[i], self.goal[i], self.t[i] = free[a], free[b], 0

    def reset(self):
        for i in range(self.n):
            self._place(i)
        return self._obs()

    def _obs(self):
        eye = np.eye(7, dtype=np.float32)
        return np.concatenate([eye[self.pos[:, 0]], eye[self.pos[:, 1]], eye[self.goal[:, 0]], eye[self.goal[:, 1]]], 1)

    def step(self, act):
        new = np.clip(self.pos + self.MOVES[act], 0, 6)
        blocked = self.walls[new[:, 0], new[:, 1]]
        self.pos = np.where(blocked[:, None], self.pos, new)
        self.t += 1
        win = (self.pos == self.goal).all(1)
        rew = np.where(win, 1.0, -0.02).astype(np.float32)
        done = win | (self.t >= self.LIMIT)
        for i in np.nonzero(done)[0]:
            self._place(i)
        return self._obs(), rew, done.astype(np.float32), win


@dataclass
class Args:
    seed: int = 1
    num_envs: int = 16
    num_steps: int = 48
    updates: int = 110
    epochs: int = 3
    minibatches: int = 4
    lr: float = 2.5e-3
    gamma: float = 0.98
    lam: float = 0.95
    clip: float = 0.2
    ent: float = 0.004


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(28, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 4))
        self.v = nn.Sequential(nn.Linear(28, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))

    def value(self, x):
        return self.v(x).squeeze(-1)

    def dist(self, x):
        return Categorical(logits=self.pi(x))


@torch.no_grad()
def evaluate(agent, n=200, seed=999):
    env = VecGrid(n, seed)
    obs = torch.from_numpy(env.reset())
    finished, won = np.zeros(n, bool), np.zeros(n, bool)
    for _ in range(VecGrid.LIMIT):
        obs, _, done, win = env.step(agent.dist(obs).sample().numpy())
        obs = torch.from_numpy(obs)
        won |= win & ~finished
        finished |= done.astype(bool)
    return won.mean()


def main():
    args = Args()
    torch.manual_seed(args.seed)
    envs = VecGrid(args.num_envs, args.seed)
    agent = Agent()
    opt = torch.optim.Adam(agent.parameters(), lr=args.lr, eps=1e-5)

    T, N = args.num_steps, args.num_envs
    obs = torch.zeros(T, N, 28)
    actions, logprobs = torch.zeros(T, N), torch.zeros(T, N)
    rewards, dones, values = torch.zeros(T, N), torch.zeros(T, N), torch.zeros(T, N)

    next_obs = torch.from_numpy(envs.reset())
    next_done = torch.zeros(N)
    for update in range(1, args.updates + 1):
        opt.param_groups[0]["lr"] = args.lr * (1 - (update - 1) / args.updates)
        wins = ends = 0
        for t in range(T):
            obs[t] = next_obs
            dones[t] = next_done
            with torch.no_grad():
                d = agent.dist(next_obs)
                a = d.sample()
                values[t] = agent.value(next_obs)
            actions[t], logprobs[t] = a, d.log_prob(a)
            o, r, done, win = envs.step(a.numpy())
            rewards[t] = torch.from_numpy(r)
            next_obs, next_done = torch.from_numpy(o), torch.from_numpy(done)
            wins, ends = wins + win.sum(), ends + done.sum()

        with torch.no_grad():
            next_value = agent.value(next_obs)
            advantages = torch.zeros_like(rewards)
            last = 0.0
            for t in reversed(range(T)):
                nonterminal = 1.0 - (next_done if t == T - 1 else dones[t + 1])
                nextvalues = next_value if t == T - 1 else values[t + 1]
                delta = rewards[t] + args.gamma * nextvalues * nonterminal - values[t]
                advantages[t] = last = delta + args.gamma * args.lam * nonterminal * last
            returns = advantages + values

        b_obs, b_act, b_lp = obs.flatten(0, 1), actions.flatten(), logprobs.flatten()
        b_adv, b_ret = advantages.flatten(), returns.flatten()
        for _ in range(args.epochs):
            for mb in torch.randperm(T * N).chunk(args.minibatches):
                d = agent.dist(b_obs[mb])
                ratio = (d.log_prob(b_act[mb]) - b_lp[mb]).exp()
                adv = (b_adv[mb] - b_adv[mb].mean()) / (b_adv[mb].std() + 1e-8)
                pg = -torch.min(ratio * adv, ratio.clamp(1 - args.clip, 1 + args.clip) * adv).mean()
                vl = 0.5 * (agent.value(b_obs[mb]) - b_ret[mb]).pow(2).mean()
                loss = pg + 0.5 * vl - args.ent * d.entropy().mean()
                opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                opt.step()
        if update % 11 == 0:
            print(f"update {update:3d} episodes {int(ends):3d} train success {wins / max(ends, 1):.2f} v_loss {vl.item():.4f} entropy {d.entropy().mean().item():.3f}")
    print(f"eval success rate {evaluate(agent):.3f}")


if __name__ == "__main__":
    main()
