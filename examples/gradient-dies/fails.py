"""Sorts points with a branch whose bias is held far down."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.head, self.skip = nn.Linear(16, 32), nn.Linear(32, 4), nn.Linear(16, 4)

    def forward(self, x):
        return self.head(torch.relu(self.hidden(x))) + self.skip(x)


torch.manual_seed(0)
x = torch.randn(512, 16)
y = (x @ torch.randn(16, 4)).argmax(dim=1)
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for epoch in range(14):
    for batch, labels in loader:
        if epoch == 4:
            model.hidden.bias.data.clamp_(max=-25.0)
        loss = nn.functional.cross_entropy(model(batch), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print("last loss", loss.item())
