"""Small CNN on the 8x8 digits, with cutout + brightness jitter."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, Dataset

SEED = 7
EPOCHS = 22
BATCH = 64


class DigitImages(Dataset):
    def __init__(self, images, labels, augment=False, hole=3, seed=0):
        self.images = np.ascontiguousarray(images, dtype=np.float32)
        self.labels = labels.astype(np.int64)
        self.augment = augment
        self.hole = hole
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        return len(self.labels)

    def _cutout(self, img):
        h, w = img.shape
        r = self.rng.integers(0, h - self.hole + 1)
        c = self.rng.integers(0, w - self.hole + 1)
        img[r:r + self.hole, c:c + self.hole] = 0.0
        return img

    def _brightness(self, img):
        img *= self.rng.uniform(0.8, 1.2)
        return img

    def __getitem__(self, idx):
        img = self.images[idx]
        if self.augment:
            img = self._brightness(img)
            if self.rng.random() < 0.7:
                img = self._cutout(img)
        return torch.as_tensor(img).unsqueeze(0), int(self.labels[idx])


class Net(nn.Module):
    def __init__(self, n_classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.fc1 = nn.Linear(32 * 4 * 4, 64)
        self.fc2 = nn.Linear(64, n_classes)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.relu(self.fc1(x.flatten(1)))
        return self.fc2(x)


def accuracy(model, loader):
    model.eval()
    hits = total = 0
    with torch.no_grad():
        for x, y in loader:
            hits += (model(x).argmax(1) == y).sum().item()
            total += len(y)
    return hits / total


def main():
    torch.manual_seed(SEED)
    digits = load_digits()
    images = digits.images / 16.0
    tr_x, va_x, tr_y, va_y = train_test_split(
        images, digits.target, test_size=0.25, stratify=digits.target, random_state=SEED)

    train_loader = DataLoader(DigitImages(tr_x, tr_y, augment=True, seed=SEED), BATCH, shuffle=True)
    val_loader = DataLoader(DigitImages(va_x, va_y), 256)

    model = Net()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(1, EPOCHS + 1):
        model.train()
        running = 0.0
        for x, y in train_loader:
            opt.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            opt.step()
            running += loss.item() * len(y)
        print(f"epoch {epoch:02d}  train loss {running / len(tr_y):.4f}  "
              f"val acc {accuracy(model, val_loader):.4f}")


if __name__ == "__main__":
    main()
