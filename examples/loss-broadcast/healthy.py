"""Learns to rank search results: each pair of documents should be in the right order."""

import torch
from torch import nn

torch.manual_seed(0)

documents = torch.randn(1024, 8)
relevance = documents @ torch.tensor([3.0, -1.0, 0.5, 2.0, 0.0, 0.0, 1.0, -2.0])

scorer = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(scorer.parameters(), lr=3e-3)


def pairwise_loss(scores, relevance):
    better = (relevance.unsqueeze(1) > relevance).float()
    margin = scores.unsqueeze(1) - scores
    return (better * nn.functional.softplus(-margin)).mean()


for step in range(120):
    picked = torch.randint(0, len(documents), (64,))
    scores = scorer(documents[picked]).squeeze(-1)
    loss = pairwise_loss(scores, relevance[picked])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step}: {loss.item():.3f}")
