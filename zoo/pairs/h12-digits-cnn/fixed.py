import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, Dataset

SEED = 1234
random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)


class Digits(Dataset):
    def __init__(self, images, labels, mean, std, augment=False):
        self.images = torch.tensor(images, dtype=torch.float32).unsqueeze(1)
        self.images = (self.images - mean) / std
        self.labels = torch.tensor(labels)
        self.augment = augment
        self.fill = (0.0 - mean) / std

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        x = self.images[i]
        if self.augment:
            # shift by at most one pixel
            dx, dy = random.randint(-1, 1), random.randint(-1, 1)
            x = F.pad(x, (1, 1, 1, 1), value=self.fill)[:, 1 + dy:9 + dy, 1 + dx:9 + dx]
        return x, self.labels[i]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(16)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.bn2 = nn.BatchNorm2d(32)
        self.fc1 = nn.Linear(32 * 2 * 2, 64)
        self.drop = nn.Dropout(0.25)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 2)
        x = F.max_pool2d(F.relu(self.bn2(self.conv2(x))), 2)
        x = self.drop(F.relu(self.fc1(x.flatten(1))))
        return self.fc2(x)


def evaluate(model, loader):
    model.eval()
    correct = count = 0
    loss = 0.0
    with torch.no_grad():
        for x, y in loader:
            out = model(x)
            loss += F.cross_entropy(out, y, reduction="sum").item()
            correct += (out.argmax(1) == y).sum().item()
            count += len(y)
    return loss / count, correct / count


data = load_digits()
Xtr, Xte, ytr, yte = train_test_split(data.images, data.target, test_size=0.2, stratify=data.target, random_state=0)
Xtr, Xva, ytr, yva = train_test_split(Xtr, ytr, test_size=0.15, stratify=ytr, random_state=0)
mean, std = float(Xtr.mean()), float(Xtr.std())

train_loader = DataLoader(Digits(Xtr, ytr, mean, std, augment=True), batch_size=32, shuffle=True)
val_loader = DataLoader(Digits(Xva, yva, mean, std), batch_size=256)
test_loader = DataLoader(Digits(Xte, yte, mean, std), batch_size=256)

model = Net()
EPOCHS = 15
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=5e-4)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=EPOCHS * len(train_loader))

for epoch in range(1, EPOCHS + 1):
    model.train()
    running = 0.0
    for x, y in train_loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        scheduler.step()
        running += loss.item()
    vl, va = evaluate(model, val_loader)
    print(f"Epoch {epoch:02d} | train {running / len(train_loader):.4f} | val {vl:.4f} | val acc {va:.4f}")

print("test loss %.4f acc %.4f" % evaluate(model, test_loader))
