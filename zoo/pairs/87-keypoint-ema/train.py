"""Locates the bright blob and its dark companion in small noisy images (4 coordinates).
Evaluation uses an exponential moving average of the weights."""
import copy
import os

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", 0))
SIZE = 16


class Blobs(Dataset):
    def __init__(self, n, seed):
        r = np.random.default_rng(seed)
        self.p = r.uniform(2.5, SIZE - 3.5, (n, 2, 2)).astype(np.float32)
        yy, xx = np.mgrid[:SIZE, :SIZE]
        img = r.normal(0.4, 0.25, (n, SIZE, SIZE))
        for k, amp in ((0, 2.0), (1, -2.0)):
            cy, cx = self.p[:, k, 0, None, None], self.p[:, k, 1, None, None]
            img += amp * np.exp(-((yy - cy) ** 2 + (xx - cx) ** 2) / 4.0)
        self.img = img.astype(np.float32)

    def __len__(self):
        return len(self.img)

    def __getitem__(self, i):
        target = self.p[i].reshape(-1) / (SIZE - 1) * 2 - 1
        return torch.from_numpy(self.img[i][None]), torch.from_numpy(target)


def conv(i, o, stride=1):
    return nn.Sequential(nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))


class Locator(nn.Module):
    def __init__(self, w=12):
        super().__init__()
        self.features = nn.Sequential(conv(1, w), conv(w, 2 * w, 2), conv(2 * w, 2 * w, 2))
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(2 * w * 16, 64), nn.ReLU(), nn.Linear(64, 4))

    def forward(self, x):
        return self.head(self.features(x))


class ModelEMA:
    def __init__(self, model, decay=0.98):
        self.module = copy.deepcopy(model).eval()
        self.decay = decay
        self.updates = 0
        for p in self.module.parameters():
            p.requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        self.updates += 1
        d = min(self.decay, (1 + self.updates) / (10 + self.updates))
        for e, p in zip(self.module.parameters(), model.parameters()):
            e.mul_(d).add_(p, alpha=1 - d)


@torch.no_grad()
def pixel_error(net, loader):
    err = [(net(x) - y).abs().mean(1) for x, y in loader]
    return torch.cat(err).mean().item() * (SIZE - 1) / 2


def main():
    torch.manual_seed(SEED)
    train = DataLoader(Blobs(2000, SEED * 2 + 1), batch_size=64, shuffle=True, drop_last=True)
    test = DataLoader(Blobs(500, SEED * 2 + 2), batch_size=250)
    model = Locator()
    ema = ModelEMA(model)
    epochs = 10
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs * len(train))
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for x, y in train:
            loss = F.smooth_l1_loss(model(x), y, beta=0.1)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            sched.step()
            ema.update(model)
            total += loss.item()
        print(f"epoch {epoch + 1:2d}  loss {total / len(train):.4f}  pixel error {pixel_error(ema.module, test):.3f}")
    print(f"final mean pixel error {pixel_error(ema.module, test):.3f}")


if __name__ == "__main__":
    main()
