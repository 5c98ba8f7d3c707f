"""Predicts the drag of a wing section from its outline with a deep residual network."""

import torch
from torch import nn

torch.manual_seed(0)


class DragNet(nn.Module):
    def __init__(self, width=48, depth=4):
        super().__init__()
        self.first = nn.Linear(12, width)
        self.blocks = nn.ModuleList([nn.Linear(width, width)] * depth)
        self.last = nn.Linear(width, 1)

    def forward(self, outline):
        x = torch.relu(self.first(outline))
        for block in self.blocks:
            x = x + 0.5 * torch.tanh(block(x))
        return self.last(x).squeeze(1)


model = DragNet()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(150):
    outline = torch.randn(64, 12)
    drag = outline[:, :4].sum(dim=1).sin() + 0.3 * outline[:, 5] * outline[:, 7]
    loss = nn.functional.mse_loss(model(outline), drag)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 30 == 0:
        print(f"step {step}: loss {loss.item():.4f}")
