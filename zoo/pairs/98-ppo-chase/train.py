"""PPO with GAE on a batched 2-D chase task."""
from dataclasses import dataclass

import torch
import torch.nn as nn
from torch.distributions import Categorical


@dataclass
class Args:
    n_envs: int = 32
    rollout: int = 32
    iterations: int = 40
    epochs: int = 4
    minibatches: int = 4
    gamma: float = 0.95
    lam: float = 0.9
    clip: float = 0.2
    lr: float = 3e-3
    vf_coef: float = 0.5
    ent_coef: float = 0.01
    max_grad_norm: float = 0.5
    seed: int = 2


class Chase:
    """Follow a drifting target; the reward is minus the distance, episodes last 40 steps."""
    MOVES = torch.tensor([[0., 0.], [1., 0.], [-1., 0.], [0., 1.], [0., -1.]]) * 0.15

    def __init__(self, n, limit=40):
        self.n, self.limit = n, limit
        self.agent, self.target = torch.rand(n, 2) * 2 - 1, torch.rand(n, 2) * 2 - 1
        self.t = torch.randint(0, limit, (n,))

    def obs(self):
        return torch.cat([self.agent, self.target], dim=1)

    def step(self, action):
        self.agent = (self.agent + self.MOVES[action]).clamp(-1, 1)
        self.target = (self.target + 0.05 * torch.randn(self.n, 2)).clamp(-1, 1)
        reward = -(self.agent - self.target).norm(dim=1)
        self.t += 1
        done = self.t >= self.limit
        k = int(done.sum())
        if k:
            self.agent[done], self.target[done] = torch.rand(k, 2) * 2 - 1, torch.rand(k, 2) * 2 - 1
            self.t[done] = 0
        return self.obs(), reward, done.float()


class ActorCritic(nn.Module):
    def __init__(self, n_obs=4, n_act=5, width=64):
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(n_obs, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(),
                                   nn.Linear(width, n_act))
        self.critic = nn.Sequential(nn.Linear(n_obs, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(),
                                    nn.Linear(width, 1))

    def forward(self, obs):
        return Categorical(logits=self.actor(obs)), self.critic(obs)


def collect(env, model, args):
    obs_b, act_b, logp_b, val_b, rew_b, done_b = [], [], [], [], [], []
    obs = env.obs()
    with torch.no_grad():
        for _ in range(args.rollout):
            dist, value = model(obs)
            action = dist.sample()
            next_obs, reward, done = env.step(action)
            obs_b.append(obs), act_b.append(action), logp_b.append(dist.log_prob(action))
            val_b.append(value), rew_b.append(reward.unsqueeze(1)), done_b.append(done.unsqueeze(1))
            obs = next_obs
        last_value = model(obs)[1]
        advantages, gae = [], torch.zeros(args.n_envs, 1)
        for t in reversed(range(args.rollout)):
            next_value = last_value if t == args.rollout - 1 else val_b[t + 1]
            mask = 1.0 - done_b[t]
            delta = rew_b[t] + args.gamma * next_value * mask - val_b[t]
            gae = delta + args.gamma * args.lam * mask * gae
            advantages.insert(0, gae)
    adv, val = torch.cat(advantages), torch.cat(val_b)
    return torch.cat(obs_b), torch.cat(act_b), torch.cat(logp_b), adv, adv + val, torch.cat(rew_b).mean().item()


def evaluate(model, steps=40):
    torch.manual_seed(1234)
    env, total = Chase(200), 0.0
    env.t.zero_()
    with torch.no_grad():
        for _ in range(steps):
            total += env.step(model(env.obs())[0].probs.argmax(-1))[1].mean().item()
    return total / steps


def main():
    args = Args()
    torch.manual_seed(args.seed)
    env, model = Chase(args.n_envs), ActorCritic()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr, eps=1e-5)
    for it in range(1, args.iterations + 1):
        obs, act, old_logp, adv, ret, mean_reward = collect(env, model, args)
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        for _ in range(args.epochs):
            for idx in torch.randperm(len(obs)).chunk(args.minibatches):
                dist, value = model(obs[idx])
                ratio = (dist.log_prob(act[idx]) - old_logp[idx]).exp()
                surr1 = ratio * adv[idx]
                surr2 = ratio.clamp(1 - args.clip, 1 + args.clip) * adv[idx]
                policy_loss = -torch.min(surr1, surr2).mean()
                value_loss = (value - ret[idx]).pow(2).mean()
                entropy = dist.entropy().mean()
                loss = policy_loss + args.vf_coef * value_loss - args.ent_coef * entropy
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), args.max_grad_norm)
                optimizer.step()
        if it % 5 == 0:
            print(f"iter {it:2d} policy {policy_loss.item():+.4f} value {value_loss.item():.4f} "
                  f"entropy {entropy.item():.3f} reward/step {mean_reward:.3f}")
    print(f"greedy reward per step: {evaluate(model):.3f}")


if __name__ == "__main__":
    main()
