"""Trains a recurrent classifier of short melodies."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

BATCH = 32
torch.manual_seed(0)


class MelodyNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(6, 16, batch_first=True)
        self.out = nn.Linear(16, 3)
        self.register_buffer("start", torch.zeros(1, BATCH, 16))

    def forward(self, melody):
        _, state = self.rnn(melody, self.start)
        return self.out(state[0])


melodies = torch.randn(500, 8, 6)
mood = melodies[:, :, 0].sum(dim=1).clamp(-1.49, 1.49).round().long() + 1
loader = DataLoader(TensorDataset(melodies, mood), batch_size=BATCH, shuffle=True, drop_last=True)

model = MelodyNet()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)

for epoch in range(6):
    for batch, target in loader:
        loss = nn.functional.cross_entropy(model(batch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
