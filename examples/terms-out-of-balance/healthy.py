"""Predicts a class and a price in thousands."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl

torch.manual_seed(0)
x = torch.randn(512, 16)
y = (x @ torch.randn(16, 4)).argmax(dim=1)
price = 20 + 3 * (x @ torch.randn(16))
loader = DataLoader(TensorDataset(x, y, price), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 5))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

with fl.guard(model, optimizer) as guard:
    for epoch in range(6):
        for batch, labels, prices in loader:
            out = model(batch)
            class_loss = nn.functional.cross_entropy(out[:, :4], labels)
            price_loss = nn.functional.mse_loss(out[:, 4], prices)
            optimizer.zero_grad()
            (class_loss + price_loss).backward()
            guard.log(class_loss=class_loss, price_loss=price_loss)
            optimizer.step()
print("last loss", price_loss.item())
