"""One update of a Q network from stored transitions."""

import torch
from torch.nn import functional as F

torch.manual_seed(0)


def update(online, target, optimizer, batch, gamma=0.99):
    state, action, reward, following, done = batch
    chosen = online(state).gather(1, action).squeeze(1)
    with torch.no_grad():
        wanted = reward + gamma * target(following).max(1).values
    loss = F.smooth_l1_loss(chosen, wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()
