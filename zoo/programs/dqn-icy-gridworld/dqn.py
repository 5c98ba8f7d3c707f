import argparse
import random
from collections import deque, namedtuple

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim

from env import IcyGrid

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward", "terminated"))


class ReplayMemory:
    def __init__(self, capacity):
        self.memory = deque([], maxlen=capacity)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, batch_size):
        batch = Transition(*zip(*random.sample(self.memory, batch_size)))
        return (
            torch.from_numpy(np.stack(batch.state)),
            torch.tensor(batch.action).unsqueeze(1),
            torch.from_numpy(np.stack(batch.next_state)),
            torch.tensor(batch.reward, dtype=torch.float32),
            torch.tensor(batch.terminated, dtype=torch.float32),
        )

    def __len__(self):
        return len(self.memory)


class DQN(nn.Module):
    def __init__(self, n_observations, n_actions):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(n_observations, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, n_actions)
        )

    def forward(self, x):
        return self.layers(x)


def select_action(net, state, eps):
    if random.random() < eps:
        return random.randrange(4)
    with torch.no_grad():
        return net(torch.from_numpy(state).unsqueeze(0)).argmax(1).item()


def optimize_model(policy_net, target_net, optimizer, memory, batch_size, gamma):
    state, action, next_state, reward, terminated = memory.sample(batch_size)
    q = policy_net(state).gather(1, action).squeeze(1)
    with torch.no_grad():
        best_next = policy_net(next_state).argmax(1, keepdim=True)
        next_q = target_net(next_state).gather(1, best_next).squeeze(1)
        target = reward + gamma * (1 - terminated) * next_q
    loss = nn.functional.smooth_l1_loss(q, target)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(policy_net.parameters(), 10)
    optimizer.step()
    return loss.item()


def evaluate(net, episodes, seed):
    env = IcyGrid(seed=seed)
    returns = []
    for _ in range(episodes):
        state, done, total = env.reset(), False, 0.0
        while not done:
            state, reward, terminated, truncated = env.step(select_action(net, state, eps=0.0))
            total += reward
            done = terminated or truncated
        returns.append(total)
    return float(np.mean(returns))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    random.seed(args.seed)
    torch.manual_seed(args.seed)

    gamma, tau, batch_size, learning_starts = 0.9, 0.03, 64, 300
    env = IcyGrid(seed=args.seed)
    policy_net = DQN(env.obs_dim, 4)
    target_net = DQN(env.obs_dim, 4)
    target_net.load_state_dict(policy_net.state_dict())
    optimizer = optim.Adam(policy_net.parameters(), lr=2e-3)
    memory = ReplayMemory(5000)

    episode_returns, current = [], 0.0
    state = env.reset()
    for step in range(1, args.steps + 1):
        eps = max(0.1, 1.0 - step / (0.7 * args.steps))
        action = select_action(policy_net, state, eps)
        next_state, reward, terminated, truncated = env.step(action)
        memory.push(state, action, next_state, reward, terminated)
        current += reward
        state = next_state
        if terminated or truncated:
            episode_returns.append(current)
            current = 0.0
            state = env.reset()
        if step > learning_starts and step % 2 == 0:
            optimize_model(policy_net, target_net, optimizer, memory, batch_size, gamma)
            with torch.no_grad():
                for tp, pp in zip(target_net.parameters(), policy_net.parameters()):
                    tp.lerp_(pp, tau)
        if step % 1000 == 0:
            print(f"step {step}  eps {eps:.2f}  return of last 50 episodes {np.mean(episode_returns[-50:]):.3f}")

    print(f"greedy policy, mean return over 300 episodes: {evaluate(policy_net, 300, args.seed + 10_000):.3f}")


if __name__ == "__main__":
    main()
