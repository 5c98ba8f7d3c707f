"""PPO on a small grid world."""
import argparse

import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical

from grid import GridBatch


class ActorCritic(nn.Module):
    def __init__(self, n_obs, n_act, width=64):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_obs, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())
        self.pi = nn.Linear(width, n_act)
        self.v = nn.Linear(width, 1)
        nn.init.normal_(self.pi.weight, std=0.01)
        nn.init.zeros_(self.pi.bias)

    def forward(self, x):
        h = self.body(x)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


def collect(env, net, obs, steps):
    buf = {k: [] for k in ("obs", "act", "logp", "val", "rew", "done")}
    for _ in range(steps):
        x = torch.from_numpy(obs)
        with torch.no_grad():
            dist, val = net(x)
            act = dist.sample()
            logp = dist.log_prob(act)
        obs, rew, done, _ = env.step(act.numpy())
        buf["obs"].append(x)
        buf["act"].append(act)
        buf["logp"].append(logp)
        buf["val"].append(val)
        buf["rew"].append(torch.from_numpy(rew))
        buf["done"].append(torch.from_numpy(done))
    with torch.no_grad():
        _, last_val = net(torch.from_numpy(obs))
    return {k: torch.stack(v) for k, v in buf.items()}, last_val, obs


def gae(rew, val, done, last_val, gamma, lam):
    steps = rew.shape[0]
    adv = torch.zeros_like(rew)
    running = torch.zeros_like(last_val)
    for t in reversed(range(steps)):
        if t == steps - 1:
            next_val = last_val
            alive = 1.0 - done[t]
        else:
            next_val = val[t + 1]
            alive = 1.0 - done[t]
        delta = rew[t] + gamma * next_val * alive - val[t]
        running = delta + gamma * lam * alive * running
        adv[t] = running
    return adv, adv + val


def evaluate(net, seed=10_000, n=200):
    env = GridBatch(n, seed)
    finished = np.zeros(n, dtype=bool)
    won = np.zeros(n, dtype=bool)
    obs = env.obs()
    for _ in range(env.horizon):
        with torch.no_grad():
            dist, _ = net(torch.from_numpy(obs))
        obs, _, done, goal = env.step(dist.sample().numpy())
        won |= goal & ~finished
        finished |= done > 0
    return won.mean()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--updates", type=int, default=75)
    ap.add_argument("--envs", type=int, default=32)
    ap.add_argument("--steps", type=int, default=64)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--gamma", type=float, default=0.97)
    ap.add_argument("--lam", type=float, default=0.95)
    ap.add_argument("--clip", type=float, default=0.2)
    args = ap.parse_args()

    torch.manual_seed(0)
    torch.set_num_threads(1)
    env = GridBatch(args.envs, seed=0)
    obs = env.obs()
    net = ActorCritic(obs.shape[1], 4)
    opt = torch.optim.Adam(net.parameters(), lr=args.lr, eps=1e-5)

    for update in range(1, args.updates + 1):
        buf, last_val, obs = collect(env, net, obs, args.steps)
        adv, ret = gae(buf["rew"], buf["val"], buf["done"], last_val, args.gamma, args.lam)
        flat = {k: v.flatten(0, 1) for k, v in buf.items()}
        adv, ret = adv.flatten(), ret.flatten()
        total = adv.numel()
        for _ in range(4):
            for idx in torch.randperm(total).chunk(4):
                dist, val = net(flat["obs"][idx])
                a = adv[idx]
                a = (a - a.mean()) / (a.std() + 1e-8)
                ratio = (dist.log_prob(flat["act"][idx]) - flat["logp"][idx]).exp()
                pg = -torch.min(ratio * a, ratio.clamp(1 - args.clip, 1 + args.clip) * a).mean()
                vf = 0.5 * (val - ret[idx]).pow(2).mean()
                ent = dist.entropy().mean()
                loss = pg + 0.5 * vf - 0.01 * ent
                opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(net.parameters(), 0.5)
                opt.step()
        if update % 10 == 0:
            print(f"update {update:3d}  pg {pg.item():+.4f}  vf {vf.item():.4f}  entropy {ent.item():.3f}  "
                  f"reward/step {buf['rew'].mean().item():+.4f}")
    print(f"held-out success rate: {evaluate(net):.3f}")


if __name__ == "__main__":
    main()
