"""An embedding in which examples of one kind lie side by side."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
middles = torch.randn(5, 12)
encoder = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 8))
optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-3)

for step in range(200):
    kind = torch.randint(5, (64,))
    other = (kind + torch.randint(1, 5, (64,))) % 5
    anchor, positive, negative = (encoder(middles[each] + 0.3 * torch.randn(64, 12)) for each in (kind, kind, other))
    near_positive = F.cosine_similarity(anchor, positive)
    near_negative = F.cosine_similarity(anchor, negative)
    loss = F.relu(near_positive - near_negative + 0.4).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
