"""Reads a sequence of sensor values and says which of five machines made it."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.read = nn.GRU(6, 32)
        self.classify = nn.Linear(32, 5)

    def forward(self, sequences):
        states, _ = self.read(sequences)
        return self.classify(states[:, -1])


torch.manual_seed(0)
habits = torch.randn(5, 10, 6)
machines = torch.randint(0, 5, (1600,))
sequences = habits[machines] + 0.5 * torch.randn(1600, 10, 6)
loader = DataLoader(TensorDataset(sequences, machines), batch_size=16, shuffle=True)

model = Reader()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
criterion = nn.CrossEntropyLoss()

for epoch in range(2):
    for batch, target in loader:
        loss = criterion(model(batch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
