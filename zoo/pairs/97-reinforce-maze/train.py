"""REINFORCE on a ring world: reach the goal cell by the last step, success is only revealed at the end."""
import argparse

import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical


class RingWorld:
    """A ring of cells. Actions: left, stay, right. Moves slip now and then. Reward 1 if at the goal at the horizon."""

    def __init__(self, size=9, horizon=8, slip=0.05, seed=0):
        self.size, self.horizon, self.slip = size, horizon, slip
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.pos, self.goal = self.rng.integers(0, self.size, 2)
        self.t = 0
        return self._obs()

    def _obs(self):
        obs = np.zeros(self.size + 1, dtype=np.float32)
        obs[(self.goal - self.pos) % self.size] = 1.0
        obs[-1] = self.t / self.horizon
        return obs

    def step(self, action):
        move = action - 1
        if self.rng.random() < self.slip:
            move = self.rng.integers(-1, 2)
        self.pos = (self.pos + move) % self.size
        self.t += 1
        done = self.t >= self.horizon
        reward = float(done and self.pos == self.goal)
        return self._obs(), reward, done


def run_episode(env, policy):
    obs, done = env.reset(), False
    log_probs, entropies, rewards = [], [], []
    while not done:
        dist = Categorical(logits=policy(torch.from_numpy(obs)))
        action = dist.sample()
        obs, reward, done = env.step(action.item())
        log_probs.append(dist.log_prob(action))
        entropies.append(dist.entropy())
        rewards.append(reward)
    return torch.stack(log_probs), torch.stack(entropies), rewards


def discounted_returns(rewards, gamma):
    out, g = [], 0.0
    for r in reversed(rewards):
        g = r + gamma * g
        out.insert(0, g)
    return torch.tensor(out)


@torch.no_grad()
def success_rate(policy, episodes=300):
    env, wins = RingWorld(seed=12345), 0.0
    for _ in range(episodes):
        obs, done = env.reset(), False
        while not done:
            obs, reward, done = env.step(policy(torch.from_numpy(obs)).argmax().item())
        wins += reward
    return wins / episodes


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=160)
    parser.add_argument("--episodes", type=int, default=16)
    parser.add_argument("--gamma", type=float, default=1.0)
    parser.add_argument("--lr", type=float, default=5e-3)
    parser.add_argument("--entropy_coef", type=float, default=0.002)
    args = parser.parse_args()

    torch.manual_seed(0)
    env = RingWorld(seed=0)
    policy = nn.Sequential(nn.Linear(env.size + 1, 64), nn.Tanh(), nn.Linear(64, 3))
    optimizer = torch.optim.Adam(policy.parameters(), lr=args.lr)

    history = []
    for it in range(1, args.iterations + 1):
        logps, ents, advs = [], [], []
        for _ in range(args.episodes):
            log_probs, entropies, rewards = run_episode(env, policy)
            returns = discounted_returns(rewards, args.gamma)
            returns = (returns - returns.mean()) / (returns.std() + 1e-6)
            logps.append(log_probs)
            ents.append(entropies)
            advs.append(returns)
            history.append(sum(rewards))
        logps, ents, advs = torch.cat(logps), torch.cat(ents), torch.cat(advs)
        policy_loss = -(logps * advs).mean()
        loss = policy_loss - args.entropy_coef * ents.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if it % 20 == 0:
            print(f"iter {it:3d} policy loss {policy_loss.item():+.4f} entropy {ents.mean().item():.3f} "
                  f"success (last 300) {np.mean(history[-300:]):.3f}")

    print(f"greedy success rate: {success_rate(policy):.3f}")


if __name__ == "__main__":
    main()
