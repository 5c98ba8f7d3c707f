"""Learns to find the way to a goal on a ring, by the likelihoods of its moves and what the episodes return."""

import random

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
random.seed(0)
CELLS, HORIZON = 5, 4


class Ring:
    def reset(self):
        self.place, self.moves = random.randrange(CELLS), 0
        return self.seen()

    def seen(self):
        return nn.functional.one_hot(torch.tensor(self.place), CELLS).float()

    def step(self, move):
        self.place, self.moves = (self.place + move - 1) % CELLS, self.moves + 1
        over = self.moves >= HORIZON
        return self.seen(), float(over and self.place == 0), over


ring = Ring()
policy = nn.Sequential(nn.Linear(CELLS, 32), nn.Tanh(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)


def episode():
    seen, over, likely, rewards = ring.reset(), False, [], []
    while not over:
        moves = Categorical(logits=policy(seen))
        move = moves.sample()
        likely.append(moves.log_prob(move))
        seen, reward, over = ring.step(move.item())
        rewards.append(reward)
    returns = torch.tensor(rewards).flip(0).cumsum(0).flip(0)
    return torch.stack(likely), (returns - returns.mean()) / (returns.std() + 1e-6), sum(rewards)


for update in range(60):
    episodes = [episode() for _ in range(16)]
    likely, weights = (torch.cat([one[at] for one in episodes]) for at in (0, 1))
    loss = -(likely * weights).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if update % 20 == 19:
        print(f"update {update}: at the goal {sum(one[2] for one in episodes) / 16:.2f}")
