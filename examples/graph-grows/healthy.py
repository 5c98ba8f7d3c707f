"""Predicts a long signal with a recurrent network, its state carried from one piece to the next."""

import torch
from torch import nn

torch.manual_seed(0)


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRU(1, 24, batch_first=True)
        self.out = nn.Linear(24, 1)

    def forward(self, piece, state):
        outputs, state = self.cell(piece, state)
        return self.out(outputs), state


signal = torch.sin(torch.arange(1601) * 0.2) + torch.sin(torch.arange(1601) * 0.07)
model = Forecaster()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
state = None

for start in range(0, 1600, 20):
    piece = signal[start : start + 21].reshape(1, 21, 1)
    forecast, state = model(piece[:, :-1], state)
    state = state.detach()
    loss = nn.functional.mse_loss(forecast, piece[:, 1:])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if start % 200 == 0:
        print(f"at {start}: loss {loss.item():.4f}")
