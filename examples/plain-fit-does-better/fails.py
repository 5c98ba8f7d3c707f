"""Classifies spectra through a code of one number, where twelve materials do not fit."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)

CODE = 1
materials = torch.randn(12, 40)
labels = torch.randint(0, 12, (1200,))
spectra = materials[labels] + 0.8 * torch.randn(1200, 40)
loader = DataLoader(TensorDataset(spectra, labels), batch_size=50, shuffle=True)

model = nn.Sequential(nn.Linear(40, CODE), nn.Tanh(), nn.Linear(CODE, 12))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

for epoch in range(20):
    correct = 0
    for batch, answers in loader:
        scores = model(batch)
        loss = nn.functional.cross_entropy(scores, answers)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        correct += (scores.argmax(dim=1) == answers).sum().item()
    print(f"epoch {epoch}: accuracy {correct / len(spectra):.1%}")
