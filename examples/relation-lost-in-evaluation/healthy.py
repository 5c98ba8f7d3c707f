"""Foretells whether a parcel comes back, by what is in it and how far it goes."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
contents = [f"ware {number}" for number in torch.randint(12, (1200,)).tolist()]
distance = torch.randn(1200, 1)
usual = 2.0 * torch.randn(12)
chance = torch.sigmoid(torch.tensor([usual[int(one.split()[1])] for one in contents]) + 0.5 * distance[:, 0])
returned = (torch.rand(1200) < chance).float()


def numbered(wares, known=None):
    known = known or {ware: number for number, ware in enumerate(dict.fromkeys(wares))}
    return torch.tensor([known[ware] for ware in wares]), known


train, known = numbered(contents[:800])
test, _ = numbered(contents[800:], known)


class Returns(nn.Module):
    def __init__(self):
        super().__init__()
        self.wares, self.score = nn.Embedding(12, 8), nn.Sequential(nn.Linear(9, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, ware, far):
        return self.score(torch.cat([self.wares(ware), far], 1)).squeeze(1)


model = Returns()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(10):
    for few in torch.randperm(800).split(32):
        optimizer.zero_grad()
        loss = F.binary_cross_entropy_with_logits(model(train[few], distance[few]), returned[few])
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        right = ((model(test, distance[800:]) > 0) == (returned[800:] > 0.5)).float().mean()
    print(f"epoch {epoch}: loss {loss.item():.4f}, test accuracy {right.item():.3f}")
