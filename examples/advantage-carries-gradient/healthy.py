"""One update of an actor and a critic that share an optimizer."""

import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
critic = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-3)


def update(states, actions, returns):
    values = critic(states)
    advantage = returns - values.squeeze(1)
    log_probs = torch.distributions.Categorical(logits=actor(states)).log_prob(actions)
    loss = -(log_probs * advantage.detach()).mean() + 0.5 * advantage.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()
