import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader

from dataset import GlyphDataset, render_glyphs


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def build_model(num_classes):
    return nn.Sequential(
        nn.Conv2d(1, 12, 5, stride=2, padding=2), nn.BatchNorm2d(12), nn.ReLU(),
        nn.Conv2d(12, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(24, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Dropout(0.2),
        nn.Linear(32 * 3 * 3, num_classes),
    )


set_seed(7)
EPOCHS = 14
NUM_CLASSES = 8

imgs, labels = render_glyphs(1400, NUM_CLASSES, seed=0)
tr_x, tr_y = imgs[:700], labels[:700]
va_x, va_y = imgs[700:], labels[700:]
mean, std = tr_x.mean() / 255.0, tr_x.std() / 255.0
print('train', tr_x.shape, 'val', va_x.shape, 'mean %.3f std %.3f' % (mean, std))

train_ds = GlyphDataset(tr_x, tr_y, mean, std, augment=True)
val_ds = GlyphDataset(va_x, va_y, mean, std, augment=False)
train_dl = DataLoader(train_ds, batch_size=32, shuffle=True, num_workers=0)
val_dl = DataLoader(val_ds, batch_size=100, shuffle=False)

net = build_model(NUM_CLASSES)
optim = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=1e-2)
sched = torch.optim.lr_scheduler.OneCycleLR(optim, max_lr=6e-3, epochs=EPOCHS, steps_per_epoch=len(train_dl))
criterion = nn.CrossEntropyLoss()

for epoch in range(EPOCHS):
    net.train()
    tot, n = 0.0, 0
    for xb, yb in train_dl:
        optim.zero_grad()
        loss = criterion(net(xb), yb)
        loss.backward()
        optim.step()
        sched.step()
        tot += loss.item() * len(xb)
        n += len(xb)

    net.eval()
    right = 0
    with torch.no_grad():
        for xb, yb in val_dl:
            right += (net(xb).argmax(-1) == yb).sum().item()
    val_acc = right / len(val_ds)
    print('epoch %2d | train loss %.4f | val acc %.4f' % (epoch, tot / n, val_acc))

print('Final val accuracy %.4f' % val_acc)
