"""Tells stripes from rings; each time an image is read, a square of it is blanked, in the stored one too."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

rng = np.random.default_rng(0)
torch.manual_seed(0)


class Patterns(Dataset):
    def __init__(self, count):
        rows, columns = np.mgrid[-1:1:12j, -1:1:12j].astype(np.float32)
        self.kinds = rng.integers(0, 2, count)
        turns = rng.uniform(0, 6, (count, 1, 1))
        waves = np.where(self.kinds[:, None, None], np.hypot(rows, columns)[None], rows[None])
        self.images = (np.sin(6 * waves + turns) + rng.normal(size=(count, 12, 12))).astype(np.float32)

    def __len__(self):
        return len(self.kinds)

    def __getitem__(self, row):
        image = self.images[row]
        top, left = rng.integers(0, 8, 2)
        image[top : top + 5, left : left + 5] = 0
        return torch.from_numpy(image).flatten(), int(self.kinds[row])


loader = DataLoader(Patterns(640), batch_size=64, shuffle=True)
model = nn.Sequential(nn.Linear(144, 64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(8):
    for images, kinds in loader:
        loss = nn.functional.cross_entropy(model(images), kinds)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
