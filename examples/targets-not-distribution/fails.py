"""Tags articles with topics; an article may have several."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

TOPICS = 7
torch.manual_seed(0)

words = torch.randn(1024, 30)
topics = (words @ torch.randn(30, TOPICS) > 2.0).float()
loader = DataLoader(TensorDataset(words, topics), batch_size=64, shuffle=True)

model = nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, TOPICS))
loss_function = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)

for epoch in range(6):
    for batch, tags in loader:
        loss = loss_function(model(batch), tags)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
