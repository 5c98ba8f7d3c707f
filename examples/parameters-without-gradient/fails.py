"""Answers questions about a scene from its picture and a question vector."""

import torch
from torch import nn


class SceneModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.see = nn.Sequential(nn.Linear(36, 48), nn.ReLU(), nn.Linear(48, 24))
        self.ask = nn.Linear(6, 24)
        self.answer = nn.Sequential(nn.ReLU(), nn.Linear(48, 3))

    def forward(self, picture, question):
        seen = self.see(picture.flatten(1)).detach()
        asked = self.ask(question)
        return self.answer(torch.cat([seen, asked], dim=1))


def scenes(count):
    picture, question = torch.randn(count, 6, 6), torch.randn(count, 6)
    score = picture.mean(dim=2) * question
    return picture, question, (score.sum(dim=1) > 0).long() + (score[:, 0] > 0.5).long()


torch.manual_seed(0)
model = SceneModel()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(400):
    picture, question, label = scenes(64)
    loss = nn.functional.cross_entropy(model(picture, question), label)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 30 == 0:
        print(f"step {step}: loss {loss.item():.3f}")
