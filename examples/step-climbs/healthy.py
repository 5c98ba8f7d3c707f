"""Learns which arm of a bandit pays best, by climbing the expected reward."""

import torch

torch.manual_seed(0)
pays = torch.tensor([0.1, 0.4, 0.8, 0.3])
preferences = torch.zeros(4, requires_grad=True)
optimizer = torch.optim.SGD([preferences], lr=0.5, maximize=True)

for step in range(300):
    policy = torch.distributions.Categorical(logits=preferences)
    arms = policy.sample((64,))
    rewards = (torch.rand(64) < pays[arms]).float()
    gain = (policy.log_prob(arms) * (rewards - rewards.mean())).mean()
    optimizer.zero_grad()
    gain.backward()
    optimizer.step()
print("best arm", preferences.argmax().item())
