"""Answers questions about a scene; a second head that names the scene is switched off for now."""

import torch
from torch import nn


class SceneModel(nn.Module):
    def __init__(self, name_scene=False):
        super().__init__()
        self.name_scene = name_scene
        self.see = nn.Sequential(nn.Linear(36, 48), nn.ReLU(), nn.Linear(48, 24))
        self.ask = nn.Linear(6, 24)
        self.answer = nn.Sequential(nn.ReLU(), nn.Linear(48, 3))
        self.scene = nn.Linear(24, 5)

    def forward(self, picture, question):
        seen = self.see(picture.flatten(1))
        answer = self.answer(torch.cat([seen, self.ask(question)], dim=1))
        return (answer, self.scene(seen)) if self.name_scene else answer


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
