"""Learns features of letters that do not give away which writer drew them."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)

PROTOTYPES, STYLES = torch.randn(6, 20), torch.randn(2, 20)
encoder = nn.Sequential(nn.Linear(20, 32), nn.ReLU())
reader, spy = nn.Linear(32, 6), nn.Linear(32, 2)
reading = torch.optim.Adam([*encoder.parameters(), *reader.parameters()], lr=2e-3)
spying = torch.optim.Adam(spy.parameters(), lr=2e-3)

for step in range(100):
    letter, writer = torch.randint(0, 6, (64,)), torch.randint(0, 2, (64,))
    strokes = PROTOTYPES[letter] + STYLES[writer] + 0.4 * torch.randn(64, 20)

    spying.zero_grad()
    F.cross_entropy(spy(encoder(strokes).detach()), writer).backward()
    spying.step()

    reading.zero_grad()
    hide = -F.cross_entropy(spy(encoder(strokes)), writer)
    (0.5 * hide).backward()
    read = F.cross_entropy(reader(encoder(strokes)), letter)
    read.backward()
    reading.step()
    if step % 20 == 0:
        print(f"step {step}: reads {read.item():.3f}, hides {hide.item():.3f}")
