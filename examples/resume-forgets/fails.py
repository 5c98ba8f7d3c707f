"""Fits the drag of a sail in two sittings, with a checkpoint between them."""

import torch
from torch import nn

torch.manual_seed(0)
winds = torch.randn(512, 3)
drag = winds[:, :1] * winds[:, 1:2].tanh() + winds[:, 2:] + 0.05 * torch.randn(512, 1)


def sitting(start: str | None, end: str) -> None:
    model = nn.Sequential(nn.Linear(3, 48), nn.Tanh(), nn.Linear(48, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    if start:
        state = torch.load(start)
        model.load_state_dict(state["model"])
    for _ in range(80):
        rows = torch.randint(0, 512, (64,))
        loss = nn.functional.mse_loss(model(winds[rows]), drag[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, end)
    print(f"loss {loss.item():.4f}")


sitting(None, "first.pt")
sitting("first.pt", "second.pt")
