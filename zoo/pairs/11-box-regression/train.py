"""Anchor-based box regression: predict (dx, dy, dw, dh) offsets of one object against a fixed anchor."""
import torch
from torch import nn

SIZE = 24
ANCHOR = torch.tensor([12.0, 12.0, 8.0, 8.0])  # cx, cy, w, h


def scenes(n, seed):
    g = torch.Generator().manual_seed(seed)
    cx, cy = torch.rand(2, n, generator=g) * 12 + 6
    w, h = torch.rand(2, n, generator=g) * 8 + 4
    xs = torch.arange(SIZE).float()
    inx = ((xs - cx[:, None]).abs() < w[:, None] / 2).float()
    iny = ((xs - cy[:, None]).abs() < h[:, None] / 2).float()
    img = iny[:, :, None] * inx[:, None, :] + 0.3 * torch.randn(n, SIZE, SIZE, generator=g)
    return img[:, None], torch.stack([cx, cy, w, h], dim=1)


def encode(boxes):
    return torch.cat([(boxes[:, :2] - ANCHOR[:2]) / ANCHOR[2:], (boxes[:, 2:] / ANCHOR[2:]).log()], dim=1)


def decode(offsets):
    return torch.cat([offsets[:, :2] * ANCHOR[2:] + ANCHOR[:2], offsets[:, 2:].exp() * ANCHOR[2:]], dim=1)


def iou(a, b):
    lo = torch.maximum(a[:, :2] - a[:, 2:] / 2, b[:, :2] - b[:, 2:] / 2)
    hi = torch.minimum(a[:, :2] + a[:, 2:] / 2, b[:, :2] + b[:, 2:] / 2)
    inter = (hi - lo).clamp(min=0).prod(1)
    return inter / (a[:, 2:].prod(1) + b[:, 2:].prod(1) - inter)


def layer(cin, cout, stride):
    return [nn.Conv2d(cin, cout, 3, stride, 1), nn.ReLU()]


class BoxHead(nn.Module):
    def __init__(self, dims=(24 * 9, 64, 4)):
        super().__init__()
        blocks = []
        for a, b in zip(dims[:-1], dims[1:]):
            blocks += [nn.Linear(a, b), nn.ReLU()]
        self.fc = nn.Sequential(*blocks)

    def forward(self, f):
        return self.fc(f.flatten(1))


def main(epochs=14, batch=50):
    torch.manual_seed(9)
    (xtr, btr), (xva, bva) = scenes(2000, 0), scenes(500, 1)
    model = nn.Sequential(*layer(1, 8, 2), *layer(8, 16, 2), *layer(16, 24, 2), BoxHead())
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
    crit = nn.SmoothL1Loss(beta=0.1)
    best = 0.0
    for epoch in range(epochs):
        model.train()
        for idx in torch.randperm(len(xtr)).split(batch):
            opt.zero_grad()
            loss = crit(model(xtr[idx]), encode(btr[idx]))
            loss.backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            score = iou(decode(model(xva)), bva)
        best = max(best, score.mean().item())
        print(f"[{epoch:02d}] loss={loss.item():.4f} mIoU={score.mean():.3f} AP50={(score > 0.5).float().mean():.3f} "
              f"AP75={(score > 0.75).float().mean():.3f}")
    print("val mIoU:", round(score.mean().item(), 4), "| best:", round(best, 4))


if __name__ == "__main__":
    main()
