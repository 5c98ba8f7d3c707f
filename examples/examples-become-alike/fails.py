"""Tells which of four machines a short recording comes from, with a summary of the recording in front."""

import torch
from torch import nn

torch.manual_seed(0)
machines = torch.randn(4, 32)


def summary(recording):
    return (recording - recording.mean(0)).mean(0, keepdim=True).expand(len(recording), -1)


head = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 4))
optimizer = torch.optim.Adam(head.parameters(), lr=3e-3)
bend = nn.Parameter(torch.ones(32))
optimizer.add_param_group({"params": [bend]})

for step in range(120):
    machine = torch.randint(4, (32,))
    recording = machines[machine] + 0.5 * torch.randn(32, 32)
    scores = head(summary(recording * bend))
    loss = -scores.log_softmax(1).gather(1, machine.unsqueeze(1)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step}: {loss.item():.3f}")
