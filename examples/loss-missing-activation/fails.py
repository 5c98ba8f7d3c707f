"""Sorts flowers into four kinds by their measurements."""

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


class Classifier(nn.Module):
    def __init__(self, features, classes):
        super().__init__()
        self.hidden = nn.Linear(features, 48)
        self.out = nn.Linear(48, classes)

    def forward(self, x):
        return self.out(torch.relu(self.hidden(x)))


def main():
    kinds = torch.randint(0, 4, (800,))
    measurements = torch.randn(4, 10)[kinds] + 0.5 * torch.randn(800, 10)
    loader = DataLoader(TensorDataset(measurements, kinds), batch_size=50, shuffle=True)
    model = Classifier(10, 4)
    criterion = nn.NLLLoss()
    optimizer = optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(5):
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.3f}")


if __name__ == "__main__":
    main()
