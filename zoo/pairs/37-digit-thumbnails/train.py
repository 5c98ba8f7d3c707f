import random

import numpy as np
import torch
import torch.nn as nn
from PIL import Image
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, Dataset

SEED = 21
random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)


class DigitThumbnails(Dataset):
    """8x8 scans, upsampled to 16x16 with a little jitter in rotation while training."""

    def __init__(self, images, targets, train):
        self.images, self.targets, self.train = images, targets, train

    def __len__(self):
        return len(self.targets)

    def __getitem__(self, i):
        img = Image.fromarray(self.images[i].astype(np.uint8))
        img = img.resize((16, 16), Image.BILINEAR)
        if self.train:
            img = img.rotate(random.uniform(-8, 8), resample=Image.BILINEAR)
        x = torch.from_numpy(np.asarray(img, dtype=np.float32))
        x = (x - x.mean()) / (x.std() + 1e-6)
        return x.unsqueeze(0), int(self.targets[i])


digits = load_digits()
images = digits.images / digits.images.max()
tr_x, te_x, tr_y, te_y = train_test_split(images, digits.target, test_size=0.25, random_state=SEED, stratify=digits.target)
train_loader = DataLoader(DigitThumbnails(tr_x, tr_y, True), batch_size=32, shuffle=True)
test_loader = DataLoader(DigitThumbnails(te_x, te_y, False), batch_size=128)

model = nn.Sequential(
    nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Dropout(0.2), nn.Linear(24 * 16, 10),
)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()

for epoch in range(12):
    model.train()
    total, correct, seen = 0.0, 0, 0
    for xb, yb in train_loader:
        out = model(xb)
        loss = criterion(out, yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(yb)
        correct += (out.argmax(1) == yb).sum().item()
        seen += len(yb)

    model.eval()
    hits = 0
    with torch.no_grad():
        for xb, yb in test_loader:
            hits += (model(xb).argmax(1) == yb).sum().item()
    print(f"epoch {epoch:2d} | loss {total / seen:.4f} | train acc {correct / seen:.4f} | test acc {hits / len(te_y):.4f}")
