# Anchor-free detector on 32x32 canvases: an 8x8 grid, each cell says which shape (if any) is centred in it.
import math

import numpy as np
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

GRID, STRIDE, SIZE, CLASSES = 8, 4, 32, 3


class Shapes(Dataset):
    """Squares, crosses and rings dropped on a noisy background."""

    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        self.x = 0.3 * rng.standard_normal((n, 1, SIZE, SIZE)).astype("float32")
        self.y = np.zeros((n, CLASSES, GRID, GRID), "float32")
        for i in range(n):
            for _ in range(rng.integers(1, 4)):
                cy, cx = rng.integers(3, SIZE - 3, 2)
                c = rng.integers(CLASSES)
                patch = np.zeros((5, 5), "float32")
                if c == 0:
                    patch[:] = 1
                elif c == 1:
                    patch[2, :] = patch[:, 2] = 1
                else:
                    patch[:] = 1
                    patch[1:4, 1:4] = 0
                self.x[i, 0, cy - 2:cy + 3, cx - 2:cx + 3] += patch
                self.y[i, c, cy // STRIDE, cx // STRIDE] = 1

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return torch.from_numpy(self.x[i]), torch.from_numpy(self.y[i])


class Detector(nn.Module):
    def __init__(self, ch=16, prior=0.02):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(1, ch, 3, padding=1), nn.ReLU(),
            nn.Conv2d(ch, ch, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(ch, 2 * ch, 3, stride=2, padding=1), nn.ReLU(),
        )
        self.tower = nn.Sequential(nn.Conv2d(2 * ch, 2 * ch, 3, padding=1), nn.ReLU())
        self.cls_score = nn.Conv2d(2 * ch, CLASSES, 1)
        # start every cell at the prior probability of an object (RetinaNet, sec. 4.1)
        bias_value = -math.log((1 - prior) / prior)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, nonlinearity="relu")
                nn.init.constant_(m.bias, bias_value)

    def forward(self, x):
        return self.cls_score(self.tower(self.backbone(x)))


def focal_loss(logits, target, gamma=2.0, alpha=0.75):
    p = torch.sigmoid(logits)
    ce = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
    p_t = p * target + (1 - p) * (1 - target)
    a_t = alpha * target + (1 - alpha) * (1 - target)
    return (a_t * (1 - p_t) ** gamma * ce).sum() / target.sum().clamp(min=1)


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    tp = fp = fn = 0
    for x, y in loader:
        hit = torch.sigmoid(model(x)) > 0.5
        tp += (hit & (y > 0)).sum().item()
        fp += (hit & (y == 0)).sum().item()
        fn += (~hit & (y > 0)).sum().item()
    model.train()
    return 2 * tp / max(2 * tp + fp + fn, 1)


def main():
    torch.manual_seed(0)
    train = DataLoader(Shapes(1200, 0), batch_size=32, shuffle=True, drop_last=True)
    val = DataLoader(Shapes(300, 1), batch_size=100)
    model = Detector()
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    sched = torch.optim.lr_scheduler.MultiStepLR(opt, milestones=[7, 9], gamma=0.3)
    best = 0.0
    for epoch in range(10):
        total = 0.0
        for x, y in train:
            loss = focal_loss(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        sched.step()
        f1 = evaluate(model, val)
        best = max(best, f1)
        print("epoch %2d | train loss %.4f | val F1 %.3f | best %.3f" % (epoch + 1, total / len(train), f1, best))


if __name__ == "__main__":
    main()
