"""Looks at twenty places of a scene in raw units and says which kind it is."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl


class Attend(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key = nn.Linear(16, 16), nn.Linear(16, 16)
        self.classify = nn.Linear(16, 3)

    def forward(self, places):
        query, key = (layer(places).unsqueeze(1) for layer in (self.query, self.key))
        seen = F.scaled_dot_product_attention(query, key, places.unsqueeze(1))
        return self.classify(seen.squeeze(1).mean(dim=1))


torch.manual_seed(0)
places = 50 * torch.randn(320, 20, 16)
kinds = torch.randint(0, 3, (320,))

experiment = fl.Experiment(
    model=Attend,
    train=DataLoader(TensorDataset(places, kinds), batch_size=16),
    loss=F.cross_entropy,
)
