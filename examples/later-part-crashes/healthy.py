"""Tells the sign of a sum, keeps the best weights in a file, and reads them back for a last evaluation."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
inputs = torch.randn(600, 8)
label = (inputs.sum(1) > 0).long()
train = DataLoader(TensorDataset(inputs[:500], label[:500]), batch_size=25, shuffle=True)


def network(width: int) -> nn.Module:
    return nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Linear(width, 2))


def accuracy(model: nn.Module) -> float:
    model.eval()
    with torch.no_grad():
        return (model(inputs[500:]).argmax(1) == label[500:]).float().mean().item()


model = network(width=32)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
best = 0.0
for epoch in range(200):
    model.train()
    for batch, target in train:
        loss = nn.functional.cross_entropy(model(batch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if (score := accuracy(model)) > best:
        best = score
        torch.save(model.state_dict(), "best.pt")
final = network(width=32)
final.load_state_dict(torch.load("best.pt"))
print(f"best {best:.3f}, read back {accuracy(final):.3f}")
