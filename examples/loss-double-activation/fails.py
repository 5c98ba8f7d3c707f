"""Recognises which of ten templates a noisy picture was made from."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


class PictureNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
        self.classify = nn.Linear(8 * 5 * 5, 10)

    def forward(self, pictures):
        scores = self.classify(self.features(pictures))
        return torch.softmax(scores, dim=1)


templates = torch.randn(10, 1, 12, 12)
labels = torch.randint(0, 10, (1000,))
pictures = templates[labels] + 0.7 * torch.randn(1000, 1, 12, 12)
loader = DataLoader(TensorDataset(pictures, labels), batch_size=50, shuffle=True)

model = PictureNet()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for epoch in range(5):
    correct = 0
    for batch, target in loader:
        output = model(batch)
        loss = criterion(output, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        correct += (output.argmax(dim=1) == target).sum().item()
    print(f"epoch {epoch}: accuracy {correct / 1000:.1%}")
