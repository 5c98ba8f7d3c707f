"""One round of Q-learning with a slow copy of the network."""

import copy

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
online = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
target_net = copy.deepcopy(online).eval()
for parameter in target_net.parameters():
    parameter.requires_grad = False
optimizer = torch.optim.Adam(online.parameters(), lr=1e-3)


def update(step, state, action, reward, following, done, gamma=0.99):
    with torch.no_grad():
        wanted = reward + gamma * (1 - done) * target_net(following).max(1).values
    loss = F.smooth_l1_loss(online(state).gather(1, action).squeeze(1), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()
