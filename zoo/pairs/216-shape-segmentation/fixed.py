"""Semantic segmentation of cluttered shape scenes with a small U-Net, bfloat16 autocast on CPU."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

CLASSES = ["background", "disc", "ring", "square", "frame", "cross", "triangle", "bar"]
SIZE, EPS = 32, 1e-6


def stamp(kind, yy, xx, cy, cx, r):
    dy, dx = yy - cy, xx - cx
    d = np.hypot(dy, dx)
    box = np.maximum(abs(dy), abs(dx))
    return {
        "disc": d < r,
        "ring": (d < r) & (d > 0.55 * r),
        "square": box < 0.85 * r,
        "frame": (box < 0.85 * r) & (box > 0.5 * r),
        "cross": (box < r) & (np.minimum(abs(dy), abs(dx)) < 0.3 * r),
        "triangle": (dy > -r) & (dy < 0.8 * r) & (abs(dx) < (dy + r) * 0.55),
        "bar": (abs(dy) < 0.35 * r) & (abs(dx) < 1.2 * r),
    }[kind]


def scenes(n, seed):
    rng = np.random.default_rng(seed)
    yy, xx = np.mgrid[0:SIZE, 0:SIZE]
    x = np.zeros((n, 3, SIZE, SIZE), dtype=np.float32)
    y = np.zeros((n, SIZE, SIZE), dtype=np.int64)
    for i in range(n):
        x[i] = rng.uniform(-0.3, 0.3, size=(3, 1, 1))
        for _ in range(rng.integers(1, 3)):
            k = int(rng.integers(1, len(CLASSES)))
            m = stamp(CLASSES[k], yy, xx, rng.uniform(8, 24), rng.uniform(8, 24), rng.uniform(5, 8.5))
            x[i][:, m] = rng.uniform(-1, 1, size=(3, 1))
            y[i][m] = k
        x[i] += rng.normal(0, 0.1, x[i].shape)
    return torch.tensor(x), torch.tensor(y)


def conv(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))


class SmallUNet(nn.Module):
    def __init__(self, n_classes, w=12):
        super().__init__()
        self.d1, self.d2 = conv(3, w), conv(w, 2 * w)
        self.mid = nn.Sequential(conv(2 * w, 4 * w), conv(4 * w, 4 * w))
        self.u2, self.u1 = conv(6 * w, 2 * w), conv(3 * w, w)
        self.out = nn.Conv2d(w, n_classes, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        c = self.mid(F.max_pool2d(b, 2))
        b = self.u2(torch.cat([F.interpolate(c, scale_factor=2), b], 1))
        a = self.u1(torch.cat([F.interpolate(b, scale_factor=2), a], 1))
        return self.out(a)


def image_iou(pred, target, n_classes):
    """Mean intersection over union of one image."""
    scores = []
    for k in range(n_classes):
        p, t = pred == k, target == k
        inter = (p & t).sum().item()
        union = (p | t).sum().item()
        if union:
            scores.append((inter + EPS) / (union + EPS))
    return sum(scores) / len(scores)


@torch.no_grad()
def evaluate(model, x, y):
    model.eval()
    ious, right = [], 0
    for a, b in zip(x.split(100), y.split(100)):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            pred = model(a).argmax(1)
        right += (pred == b).sum().item()
        ious += [image_iou(p, t, len(CLASSES)) for p, t in zip(pred, b)]
    model.train()
    return sum(ious) / len(ious), right / y.numel()


def main():
    torch.manual_seed(6)
    x, y = scenes(1400, seed=0)
    xt, yt = scenes(200, seed=1)
    share = torch.bincount(y.flatten(), minlength=len(CLASSES)).float()
    weight = (share.sum() / share) ** 0.3
    weight = weight / weight.mean()
    model = SmallUNet(len(CLASSES))
    opt = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=1e-4)
    epochs, batch = 8, 20
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 1e-2, total_steps=epochs * len(x) // batch)
    for epoch in range(epochs):
        total = 0.0
        for idx in torch.randperm(len(x)).split(batch):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits = model(x[idx])
            loss = F.cross_entropy(logits.float(), y[idx], weight=weight)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            sched.step()
            total += loss.item()
        miou, pixel = evaluate(model, xt, yt)
        print(f"epoch {epoch} loss {total / (len(x) / batch):.4f} mIoU {miou:.4f} pixel accuracy {pixel:.4f}", flush=True)
    miou, pixel = evaluate(model, xt, yt)
    print(f"final test mIoU {miou:.4f}")


if __name__ == "__main__":
    main()
