"""Learns embeddings in which parts with the same fault lie together (supervised contrastive)."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)

faults = torch.randint(0, 5, (1000,))
parts = torch.randn(5, 12)[faults] + 0.8 * torch.randn(1000, 12)
model = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 16))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)


def contrastive_loss(embedding, labels, temperature=0.2):
    similarity = F.normalize(embedding, dim=1) @ F.normalize(embedding, dim=1).T / temperature
    itself = torch.eye(len(labels), dtype=torch.bool)
    same = (labels.unsqueeze(1) == labels) & ~itself
    log_share = F.log_softmax(similarity.masked_fill(itself, -1e9), dim=1)
    return -(log_share * same).sum() / same.sum()


def nearest_accuracy():
    with torch.no_grad():
        embedding = F.normalize(model(parts), dim=1)
    nearest = (embedding @ embedding.T).fill_diagonal_(-1).argmax(dim=1)
    return (faults[nearest] == faults).float().mean().item()


for step in range(120):
    picked = torch.randint(0, 1000, (64,))
    loss = contrastive_loss(model(parts[picked]), faults[picked])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 30 == 0:
        print(f"step {step}: loss {loss.item():.3f}, accuracy {nearest_accuracy():.1%}")
