"""Trains a recurrent network that keeps its state between pieces of one long sequence."""

import torch
from torch import nn

torch.manual_seed(0)

rnn, head = nn.GRU(1, 16, batch_first=True), nn.Linear(16, 1)
optimizer = torch.optim.Adam([*rnn.parameters(), *head.parameters()], lr=1e-3)
wave = torch.sin(torch.arange(0, 401) * 0.1).view(1, -1, 1)
state = torch.zeros(1, 1, 16)
for start in range(0, 400, 20):
    states, state = rnn(wave[:, start : start + 20], state)
    loss = nn.functional.mse_loss(head(states), wave[:, start + 1 : start + 21])
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
