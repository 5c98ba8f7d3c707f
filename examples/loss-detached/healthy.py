"""Learns action values on a corridor with a target network (DQN)."""

import copy

import torch
from torch import nn

CELLS, DISCOUNT = 8, 0.9
torch.manual_seed(0)

q_network = nn.Sequential(nn.Linear(CELLS, 32), nn.ReLU(), nn.Linear(32, 2))
target_network = copy.deepcopy(q_network)
optimizer = torch.optim.Adam(q_network.parameters(), lr=3e-3)


def transitions(count):
    cell, action = torch.randint(0, CELLS, (count,)), torch.randint(0, 2, (count,))
    following = (cell + 2 * action - 1).clamp(0, CELLS - 1)
    reward = (following == CELLS - 1).float()
    return torch.eye(CELLS)[cell], action, reward, torch.eye(CELLS)[following]


for step in range(150):
    state, action, reward, following = transitions(64)
    with torch.no_grad():
        target = reward + DISCOUNT * target_network(following).max(dim=1).values
    value = q_network(state).gather(1, action.unsqueeze(1)).squeeze(1)
    loss = nn.functional.smooth_l1_loss(value, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 25 == 0:
        target_network.load_state_dict(q_network.state_dict())
        print(f"step {step}: loss {loss.item():.4f}")
