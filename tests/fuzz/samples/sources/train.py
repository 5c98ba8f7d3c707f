import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
data = [(torch.randn(8, 4), torch.randint(0, 3, (8,))) for _ in range(20)]
for epoch in range(3):
    for x, y in data:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x).softmax(1), y)
        loss.backward()
        optimizer.step()


def freeze(model):
    for p in model.parameters():
        p.require_grad = False


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(4, 4) for _ in range(3)]

    def forward(self, x, *, scale=1.0):
        return [layer(x) * scale for layer in self.layers][-1] if x is not None else None
