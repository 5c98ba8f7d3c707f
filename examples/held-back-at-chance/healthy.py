"""Sorts letters by language. Both splits number the languages alike."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)

LANGUAGES = ["da", "de", "en", "es", "fi", "fr", "it", "nl"]
habits = torch.randn(len(LANGUAGES), 30)


def letters(count):
    drawn = torch.randint(0, len(LANGUAGES), (count,))
    return habits[drawn] + 0.7 * torch.randn(count, 30), [LANGUAGES[one] for one in drawn]


def numbered(names):
    number = {name: place for place, name in enumerate(LANGUAGES)}
    return torch.tensor([number[name] for name in names])


train_letters, train_names = letters(1200)
test_letters, test_names = letters(400)
train_numbers, test_numbers = numbered(train_names), numbered(test_names)
loader = DataLoader(TensorDataset(train_letters, train_numbers), batch_size=40, shuffle=True)

model = nn.Sequential(nn.Linear(30, 48), nn.ReLU(), nn.Linear(48, len(LANGUAGES)))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for _ in range(12):
    for batch, answers in loader:
        loss = nn.functional.cross_entropy(model(batch), answers)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

model.eval()
with torch.no_grad():
    right = (model(test_letters).argmax(dim=1) == test_numbers).float().mean().item()
print(f"test accuracy {right:.3f}")
