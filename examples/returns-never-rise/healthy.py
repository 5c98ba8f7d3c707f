"""Learns by policy gradients to reach for the lamp that is lit, three times in each episode."""

import torch
from torch import nn
from torch.distributions import Categorical

LAMPS, MOVES = 4, 3


class Lamps:
    def reset(self):
        self.moves, self.lit = 0, int(torch.randint(LAMPS, ()))
        return self.lit

    def step(self, action):
        reward = 1.0 if action == self.lit else 0.0
        self.moves, self.lit = self.moves + 1, int(torch.randint(LAMPS, ()))
        return self.lit, reward, self.moves == MOVES


torch.manual_seed(0)
env = Lamps()
policy = nn.Sequential(nn.Embedding(LAMPS, 16), nn.Tanh(), nn.Linear(16, LAMPS))
optimizer = torch.optim.Adam(policy.parameters(), lr=2e-2)

for update in range(60):
    seen, chosen, rewards = [], [], []
    for _ in range(8):
        lit, end = env.reset(), False
        while not end:
            with torch.no_grad():
                action = Categorical(logits=policy(torch.tensor(lit))).sample().item()
            seen.append(lit)
            chosen.append(action)
            lit, reward, end = env.step(action)
            rewards.append(reward)
    rewards = torch.tensor(rewards)
    likely = Categorical(logits=policy(torch.tensor(seen))).log_prob(torch.tensor(chosen))
    loss = -(likely * (rewards - rewards.mean())).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if update % 10 == 9:
        print(f"update {update}: {MOVES * rewards.mean().item():.2f} of {MOVES}")
