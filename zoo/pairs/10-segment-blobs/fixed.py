"""Segment cells in small generated microscopy tiles."""
import random

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


def make_tile(size, g):
    yy, xx = torch.meshgrid(torch.arange(size).float(), torch.arange(size).float(), indexing="ij")
    mask = torch.zeros(size, size)
    img = 0.25 * torch.randn(size, size, generator=g)
    for k in range(int(torch.randint(2, 5, (1,), generator=g))):
        cx, cy, r = (torch.rand(3, generator=g) * torch.tensor([size, size, 4.0]) + torch.tensor([0, 0, 2.5])).tolist()
        ratio = 0.6 + float(torch.rand(1, generator=g))
        d = ((xx - cx) ** 2 + ratio * (yy - cy) ** 2).sqrt()
        if k == 0:  # debris: a bright ring that is not a cell
            img += 0.9 * torch.exp(-((d - r) ** 2))
        else:
            mask = torch.maximum(mask, (d < r).float())
            img += 0.8 * torch.sigmoid(2 * (r - d))
    return img[None], mask[None]


class Tiles(Dataset):
    def __init__(self, n, seed, size=32, augment=False):
        g = torch.Generator().manual_seed(seed)
        self.items = [make_tile(size, g) for _ in range(n)]
        self.augment = augment

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        img, mask = self.items[i]
        if self.augment:
            if random.random() < 0.5:
                img, mask = img.flip(-1), mask.flip(-1)
            if random.random() < 0.5:
                img, mask = img.flip(-2), mask.flip(-2)
            k = random.randrange(4)
            img, mask = torch.rot90(img, k, (-2, -1)), torch.rot90(mask, k, (-2, -1))
            img = img * random.uniform(0.8, 1.2)
        return img, mask


def conv(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True))


class UNet(nn.Module):
    def __init__(self, w=10):
        super().__init__()
        self.d1, self.d2, self.mid = conv(1, w), conv(w, 2 * w), conv(2 * w, 2 * w)
        self.u2, self.u1 = conv(4 * w, w), conv(2 * w, w)
        self.out = nn.Conv2d(w, 1, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        c = self.mid(F.max_pool2d(b, 2))
        b = self.u2(torch.cat([b, F.interpolate(c, scale_factor=2)], 1))
        a = self.u1(torch.cat([a, F.interpolate(b, scale_factor=2)], 1))
        return self.out(a)


def dice_bce(logits, mask):
    p = logits.sigmoid()
    inter = (p * mask).sum((1, 2, 3))
    dice = 1 - (2 * inter + 1) / (p.sum((1, 2, 3)) + mask.sum((1, 2, 3)) + 1)
    return F.binary_cross_entropy_with_logits(logits, mask) + dice.mean()


@torch.no_grad()
def mean_iou(net, loader):
    net.eval()
    inter = union = 0.0
    for img, mask in loader:
        pred = net(img) > 0
        inter += (pred & mask.bool()).sum().item()
        union += (pred | mask.bool()).sum().item()
    return inter / union


def main():
    torch.manual_seed(2)
    random.seed(2)
    train = DataLoader(Tiles(400, 10, augment=True), batch_size=16, shuffle=True)
    val = DataLoader(Tiles(150, 11), batch_size=50)
    net = UNet()
    opt = torch.optim.Adam(net.parameters(), lr=3e-3)
    epochs = 12
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 6e-3, epochs=epochs, steps_per_epoch=len(train))
    for ep in range(epochs):
        net.train()
        losses = []
        for img, mask in train:
            loss = dice_bce(net(img), mask)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            losses.append(loss.item())
        print(f"epoch {ep} loss {sum(losses) / len(losses):.4f} val IoU {mean_iou(net, val):.4f}")
    print("best effort IoU on validation tiles:", round(mean_iou(net, val), 4))


if __name__ == "__main__":
    main()
