"""Tells six materials apart by the sound they make when struck."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
materials = torch.randint(0, 6, (900,))
sounds = torch.randn(6, 20)[materials] + 0.8 * torch.randn(900, 20)
loader = DataLoader(TensorDataset(sounds, materials), batch_size=45, shuffle=True)

model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 6))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

for epoch in range(6):
    for sound, material in loader:
        chances = F.log_softmax(model(sound), dim=1)
        loss = F.nll_loss(chances, material)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
