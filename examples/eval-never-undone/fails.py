"""Fits a line to noisy points."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)

x = torch.randn(256, 4)
loader = DataLoader(TensorDataset(x, x.sum(dim=1, keepdim=True)), batch_size=32, shuffle=True)
layer = nn.Linear(4, 1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop, self.layer = nn.Dropout(0.2), layer

    def forward(self, x):
        return self.layer(self.drop(x))


model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
model.train()
for epoch in range(5):
    for inputs, targets in loader:
        loss = nn.functional.mse_loss(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(nn.functional.mse_loss(model(x), x.sum(dim=1, keepdim=True)).item())
