"""Finds a bright spot in small pictures, half of which are mirrored while training."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SIDE = 12


class Spots(Dataset):
    def __init__(self, count):
        self.places = torch.rand(count, 2)
        axis = torch.arange(SIDE) / (SIDE - 1)
        across = (axis[None, None, :] - self.places[:, 0, None, None]) ** 2
        down = (axis[None, :, None] - self.places[:, 1, None, None]) ** 2
        self.pictures = torch.exp(-(across + down) / 0.02) + 0.05 * torch.randn(count, SIDE, SIDE)

    def __len__(self):
        return len(self.places)

    def __getitem__(self, index):
        picture, place = self.pictures[index], self.places[index].clone()
        if torch.rand(()) < 0.5:
            picture = picture.flip(-1)
        return picture[None], place


torch.manual_seed(0)
loader = DataLoader(Spots(1600), batch_size=40, shuffle=True)
model = nn.Sequential(nn.Flatten(), nn.Linear(SIDE * SIDE, 64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(5):
    for pictures, places in loader:
        loss = nn.functional.mse_loss(model(pictures), places)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.4f}")
