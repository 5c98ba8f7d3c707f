"""Sorts articles into topics, trained on mixtures of two of them (mixup)."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

TOPICS = 7
torch.manual_seed(0)

words = torch.randn(1024, 30)
topics = nn.functional.one_hot((words @ torch.randn(30, TOPICS)).argmax(dim=1), TOPICS).float()
loader = DataLoader(TensorDataset(words, topics), batch_size=64, shuffle=True)

model = nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, TOPICS))
loss_function = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
share = torch.distributions.Beta(0.4, 0.4)

for epoch in range(6):
    for batch, tags in loader:
        weight, partner = share.sample().item(), torch.randperm(len(batch))
        mixed = weight * batch + (1 - weight) * batch[partner]
        mixed_tags = weight * tags + (1 - weight) * tags[partner]
        loss = loss_function(model(mixed), mixed_tags)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
