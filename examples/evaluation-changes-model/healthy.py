"""Learns a curve, keeps an average of the weights, and looks at the error of the average after each epoch."""

import torch
from torch import nn

torch.manual_seed(0)
places = torch.linspace(-3, 3, 600).unsqueeze(1)
heights = torch.sin(places) + 0.1 * torch.randn(600, 1)
model = nn.Sequential(nn.Linear(1, 64), nn.Tanh(), nn.Linear(64, 1))
average = [weight.detach().clone() for weight in model.parameters()]
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)


@torch.no_grad()
def validate() -> float:
    own = [weight.clone() for weight in model.parameters()]
    for weight, mean in zip(model.parameters(), average):
        weight.copy_(mean)
    model.eval()
    wrong = 0.0
    for rows in torch.arange(500, 600).split(25):
        wrong += nn.functional.mse_loss(model(places[rows]), heights[rows]).item()
    model.train()
    for weight, kept in zip(model.parameters(), own):
        weight.copy_(kept)
    return wrong / 4


for epoch in range(10):
    for rows in torch.randperm(500).split(25):
        loss = nn.functional.mse_loss(model(places[rows]), heights[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for mean, weight in zip(average, model.parameters()):
            mean.lerp_(weight.detach(), 0.01)
    print(f"epoch {epoch}: validation error {validate():.4f}")
