"""Single-stage detector on synthetic blobs. One object per image, anchor-free head, stride 8."""
import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

STRIDE = 8


def make_images(n, size, rng):
    imgs = rng.normal(0.0, 0.15, size=(n, 1, size, size + 32)).astype(np.float32)
    boxes = np.zeros((n, 4), dtype=np.float32)
    for i in range(n):
        w, h = rng.uniform(10, 26, size=2)
        x0 = rng.uniform(0, size + 32 - w)
        y0 = rng.uniform(0, size - h)
        boxes[i] = (x0, y0, x0 + w, y0 + h)
        xi0, yi0, xi1, yi1 = [int(round(v)) for v in boxes[i]]
        imgs[i, 0, yi0:yi1, xi0:xi1] += rng.uniform(0.6, 1.2)
        if rng.random() < 0.5:
            cx, cy = rng.integers(0, size + 28), rng.integers(0, size - 4)
            imgs[i, 0, cy:cy + 4, cx:cx + 4] += 1.0
    return torch.from_numpy(imgs), torch.from_numpy(boxes)


class Detector(nn.Module):
    def __init__(self, width=10):
        super().__init__()
        layers, c = [], 1
        for i in range(3):
            o = width * (i + 1)
            layers += [nn.Conv2d(c, o, 3, stride=2, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True)]
            c = o
        layers += [nn.Conv2d(c, c, 3, padding=1), nn.BatchNorm2d(c), nn.ReLU(inplace=True)]
        layers += [nn.Conv2d(c, c, 3, padding=2, dilation=2), nn.BatchNorm2d(c), nn.ReLU(inplace=True)]
        self.body = nn.Sequential(*layers)
        self.obj = nn.Conv2d(c, 1, 1)
        self.reg = nn.Conv2d(c, 4, 1)

    def forward(self, x):
        f = self.body(x)
        return self.obj(f).flatten(1), self.reg(f).flatten(2).transpose(1, 2)


def cell_centres(h, w):
    ys = (torch.arange(h) + 0.5) * STRIDE
    xs = (torch.arange(w) + 0.5) * STRIDE
    gx, gy = torch.meshgrid(xs, ys, indexing="xy")
    return torch.stack([gx, gy], dim=-1).reshape(-1, 2)


def decode(reg, centres):
    """left, top, right, bottom distances in strides -> xyxy in pixels."""
    d = F.softplus(reg) * STRIDE
    return torch.cat([centres - d[..., :2], centres + d[..., 2:]], dim=-1)


def iou(a, b):
    lt = torch.maximum(a[..., :2], b[..., :2])
    rb = torch.minimum(a[..., 2:], b[..., 2:])
    inter = (rb - lt).clamp(min=0).prod(-1)
    area = lambda t: (t[..., 2:] - t[..., :2]).clamp(min=0).prod(-1)
    return inter / (area(a) + area(b) - inter + 1e-6)


def assign(boxes, h, w):
    """the cell that holds the centre of the box is the positive one"""
    cx = (boxes[:, 0] + boxes[:, 2]) / 2
    cy = (boxes[:, 1] + boxes[:, 3]) / 2
    col = (cx / STRIDE).long().clamp(0, w - 1)
    row = (cy / STRIDE).long().clamp(0, h - 1)
    return row * w + col


@torch.no_grad()
def evaluate(model, x, boxes, centres):
    model.eval()
    scores = []
    for xb, bb in zip(x.split(128), boxes.split(128)):
        obj, reg = model(xb)
        best = obj.argmax(1)
        pred = decode(reg, centres)[torch.arange(len(xb)), best]
        scores.append(iou(pred, bb))
    s = torch.cat(scores)
    return s.mean().item(), (s > 0.5).float().mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=6)
    ap.add_argument("--size", type=int, default=64)
    ap.add_argument("--batch", type=int, default=32)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    x_tr, b_tr = make_images(1400, args.size, rng)
    x_va, b_va = make_images(200, args.size, rng)
    model = Detector()
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-4)
    h, w = args.size // STRIDE, (args.size + 32) // STRIDE
    centres = cell_centres(h, w)

    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for idx in torch.randperm(len(x_tr)).split(args.batch):
            xb, bb = x_tr[idx], b_tr[idx]
            obj, reg = model(xb)
            pos = assign(bb, h, w)
            pred = decode(reg, centres)[torch.arange(len(xb)), pos]
            loss_obj = F.cross_entropy(obj, pos)
            loss_box = F.smooth_l1_loss(pred / STRIDE, bb / STRIDE)
            loss = loss_obj + loss_box
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            total += loss.item() * len(xb)
        miou, ap50 = evaluate(model, x_va, b_va, centres)
        print(f"epoch {epoch:2d} loss {total / len(x_tr):.4f} val iou {miou:.3f} ap50 {ap50:.3f}")
    print(f"final mean IoU: {miou:.4f}")


if __name__ == "__main__":
    main()
