"""Names the crop on a field and predicts its harvest, in kilograms."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
fields = torch.randn(1500, 10)
crop = (fields @ torch.randn(10, 4)).argmax(1)
harvest = 4000 + 900 * (fields @ torch.randn(10)) / 3
unit = 1.0
loader = DataLoader(TensorDataset(fields, crop, (harvest - 4000) / unit), batch_size=50, shuffle=True)


class Grower(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(10, 64), nn.ReLU())
        self.name, self.weigh = nn.Linear(64, 4), nn.Linear(64, 1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = self.body(x)
        return self.name(hidden), self.weigh(hidden).squeeze(1)


model = Grower()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-2)
for epoch in range(6):
    for field, kind, weight in loader:
        names, weights = model(field)
        loss = nn.functional.cross_entropy(names, kind) + nn.functional.mse_loss(weights, weight)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
