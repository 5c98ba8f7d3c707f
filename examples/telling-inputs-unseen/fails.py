"""Foretells the flow at a weir from the rain, which takes eight hours to arrive; the network sees five."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)

DILATIONS = (1, 1)
rain = torch.randn(1200, 1, 32)
flow = torch.tanh(rain.roll(8, dims=2)) + 0.3 * rain.roll(1, dims=2) + 0.05 * torch.randn(1200, 1, 32)
loader = DataLoader(TensorDataset(rain, flow[:, 0, -1]), batch_size=50, shuffle=True)


class Weir(nn.Module):
    """Causal convolutions; the last hour tells."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Conv1d(before, after, 3, dilation=dilation)
            for before, after, dilation in zip((1, 24), (24, 24), DILATIONS, strict=True)
        )
        self.out = nn.Linear(24, 1)

    def forward(self, hours: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            hours = torch.relu(layer(hours))
        return self.out(hours[:, :, -1])[:, 0]


model = Weir()
optimizer = torch.optim.Adam(model.parameters(), lr=0.003)

for epoch in range(16):
    total = 0.0
    for batch, answers in loader:
        loss = nn.functional.mse_loss(model(batch), answers)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() / len(loader)
    print(f"epoch {epoch}: error {total:.3f}")
