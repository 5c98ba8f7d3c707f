# Segment cells in synthetic microscopy tiles with a tiny U-Net, BCE + Dice.
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SEED, SIZE, EPOCHS, BATCH = 0, 24, 10, 16
torch.manual_seed(SEED)
rng = np.random.default_rng(SEED)


def make_tiles(n):
    yy, xx = np.mgrid[:SIZE, :SIZE]
    imgs, masks = [], []
    for _ in range(n):
        mask = np.zeros((SIZE, SIZE), bool)
        for _ in range(rng.integers(1, 4)):
            cy, cx = rng.uniform(4, SIZE - 4, 2)
            a, b = rng.uniform(2.5, 5.5, 2)
            mask |= ((yy - cy) / a) ** 2 + ((xx - cx) / b) ** 2 < 1
        shade = 0.6 * (xx / SIZE) * rng.uniform(-1, 1) + 0.6 * (yy / SIZE) * rng.uniform(-1, 1)
        img = mask * rng.uniform(0.6, 1.2) + shade + rng.normal(0, 0.45, mask.shape)
        imgs.append((img - img.mean()) / img.std())
        masks.append(mask)
    to = lambda a: torch.tensor(np.stack(a), dtype=torch.float32).unsqueeze(1)
    return to(imgs), to(masks)


def block(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(),
                         nn.Conv2d(o, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU())


class TinyUNet(nn.Module):
    def __init__(self, w=8):
        super().__init__()
        self.e1, self.e2, self.mid = block(1, w), block(w, 2 * w), block(2 * w, 2 * w)
        self.d2, self.d1 = block(4 * w, w), block(2 * w, w)
        self.out = nn.Conv2d(w, 1, 1)

    def forward(self, x):
        a = self.e1(x)
        b = self.e2(F.max_pool2d(a, 2))
        c = self.mid(F.max_pool2d(b, 2))
        c = self.d2(torch.cat([F.interpolate(c, scale_factor=2), b], 1))
        c = self.d1(torch.cat([F.interpolate(c, scale_factor=2), a], 1))
        return self.out(c)


class DiceLoss(nn.Module):
    def __init__(self, smooth=1.0):
        super().__init__()
        self.smooth = smooth

    def forward(self, pred, target):
        pred, target = pred.flatten(1), target.flatten(1)
        inter = (pred * target).sum(1)
        dice = (2 * inter + self.smooth) / (pred.sum(1) + target.sum(1) + self.smooth)
        return 1 - dice.mean()


x_train, m_train = make_tiles(480)
x_val, m_val = make_tiles(160)

model = TinyUNet()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
bce, dice_loss = nn.BCEWithLogitsLoss(), DiceLoss()

for epoch in range(EPOCHS):
    model.train()
    tot = 0.0
    order = torch.randperm(len(x_train))
    for idx in order.split(BATCH):
        logits = model(x_train[idx])
        loss = 0.5 * bce(logits, m_train[idx]) + 0.5 * dice_loss(logits, m_train[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() * len(idx)

    model.eval()
    with torch.no_grad():
        p = torch.cat([model(b) for b in x_val.split(80)]) > 0
    t = m_val.bool()
    iou = ((p & t).sum((1, 2, 3)) / (p | t).sum((1, 2, 3)).clamp(min=1)).mean().item()
    print(f"epoch {epoch:2d}  train loss {tot / len(x_train):.4f}  val IoU {iou:.4f}")
