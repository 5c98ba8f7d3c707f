"""Advantage actor-critic on a small docking task (batched numpy environment)."""
import argparse
import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.set_num_threads(1)

THRUST = np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]], dtype=np.float32)


class HarbourEnv:
    """A fleet of boats, each steering to its own berth against a current."""

    def __init__(self, n_boats, horizon=60, seed=0):
        self.n = n_boats
        self.horizon = horizon
        self.rng = np.random.default_rng(seed)
        self.pos = np.zeros((n_boats, 2), dtype=np.float32)
        self.vel = np.zeros((n_boats, 2), dtype=np.float32)
        self.berth = np.zeros((n_boats, 2), dtype=np.float32)
        self.current = np.zeros((n_boats, 2), dtype=np.float32)
        self.clock = np.zeros(n_boats, dtype=np.int64)
        self._frame = np.zeros((n_boats, 6), dtype=np.float32)

    def _respawn(self, which):
        k = int(which.sum())
        if k == 0:
            return
        self.pos[which] = self.rng.uniform(-1, 1, (k, 2))
        self.berth[which] = self.rng.uniform(-1, 1, (k, 2))
        self.vel[which] = 0.0
        self.current[which] = self.rng.normal(0, 0.01, (k, 2))
        self.clock[which] = 0

    def _observe(self):
        self._frame[:, 0:2] = self.berth - self.pos
        self._frame[:, 2:4] = self.vel * 5.0
        self._frame[:, 4:6] = self.current * 50.0
        return self._frame

    def reset(self):
        self._respawn(np.ones(self.n, dtype=bool))
        return self._observe()

    def step(self, action):
        before = np.linalg.norm(self.berth - self.pos, axis=1)
        self.vel = 0.8 * self.vel + 0.03 * THRUST[action]
        self.pos = np.clip(self.pos + self.vel + self.current, -1.5, 1.5)
        after = np.linalg.norm(self.berth - self.pos, axis=1)
        self.clock += 1
        docked = after < 0.12
        late = self.clock >= self.horizon
        reward = (before - after) * 2.0 - 0.02 + docked * 1.0
        done = docked | late
        self._respawn(done)
        return self._observe(), reward.astype(np.float32), done, docked


class ActorCritic(nn.Module):
    def __init__(self, obs_dim, n_actions, width=64):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs_dim, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())
        self.pi = nn.Linear(width, n_actions)
        self.v = nn.Linear(width, 1)

    def forward(self, x):
        h = self.body(x)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


def collect(env, net, obs, length):
    mem = {"obs": [], "act": [], "rew": [], "done": []}
    for _ in range(length):
        with torch.no_grad():
            dist, _ = net(torch.from_numpy(obs))
            act = dist.sample().numpy()
        nxt, rew, done, _ = env.step(act)
        mem["obs"].append(obs)
        mem["act"].append(act)
        mem["rew"].append(rew)
        mem["done"].append(done.astype(np.float32))
        obs = nxt
    batch = {k: torch.from_numpy(np.stack(v)) for k, v in mem.items()}
    return batch, obs


def update(net, opt, batch, last_obs, args):
    with torch.no_grad():
        _, running = net(torch.from_numpy(last_obs))
    returns = torch.zeros_like(batch["rew"])
    for t in reversed(range(batch["rew"].shape[0])):
        running = batch["rew"][t] + args.gamma * (1.0 - batch["done"][t]) * running
        returns[t] = running
    dist, value = net(batch["obs"])
    adv = returns - value.detach()
    adv = (adv - adv.mean()) / (adv.std() + 1e-6)
    pg = -(dist.log_prob(batch["act"]) * adv).mean()
    vf = (returns - value).pow(2).mean()
    loss = pg + 0.5 * vf - args.entropy * dist.entropy().mean()
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    opt.step()
    return pg.item(), vf.item(), dist.entropy().mean().item()


@torch.no_grad()
def evaluate(net, seed, episodes=400):
    env = HarbourEnv(episodes, seed=seed)
    obs = env.reset()
    alive = np.ones(episodes, dtype=bool)
    ok = np.zeros(episodes, dtype=bool)
    ret = np.zeros(episodes)
    for _ in range(env.horizon):
        dist, _ = net(torch.from_numpy(obs))
        obs, rew, done, docked = env.step(dist.probs.argmax(-1).numpy())
        ret += rew * alive
        ok |= docked & alive
        alive &= ~done
    return ok.mean(), ret.mean()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--updates", type=int, default=1000)
    p.add_argument("--boats", type=int, default=32)
    p.add_argument("--length", type=int, default=16)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--gamma", type=float, default=0.97)
    p.add_argument("--entropy", type=float, default=0.01)
    args = p.parse_args()
    torch.manual_seed(args.seed)
    env = HarbourEnv(args.boats, seed=args.seed)
    net = ActorCritic(6, len(THRUST))
    opt = torch.optim.Adam(net.parameters(), lr=args.lr)
    obs = env.reset()
    for it in range(args.updates):
        batch, obs = collect(env, net, obs, args.length)
        pg, vf, ent = update(net, opt, batch, obs, args)
        if (it + 1) % 100 == 0:
            rate, ret = evaluate(net, seed=9000)
            print(f"update {it + 1:5d}  pg {pg:+.3f}  vf {vf:.3f}  entropy {ent:.3f}  docked {rate:.3f}  return {ret:.3f}")
    rate, ret = evaluate(net, seed=9001, episodes=1000)
    print(f"final docked={rate:.4f} return={ret:.4f}")


if __name__ == "__main__":
    main()
