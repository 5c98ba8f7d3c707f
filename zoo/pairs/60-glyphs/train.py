# Recognise 80 hand-drawn glyphs (random stroke templates, jittered and noisy) with a small CNN.
import logging

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from losses import smooth_targets, soft_target_loss

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("glyphs")
N_CLASSES = 80


def draw_templates(rng, size=16):
    glyphs = np.zeros((N_CLASSES, size, size), np.float32)
    for g in glyphs:
        pts = rng.uniform(3, size - 4, (4, 2))
        for (y0, x0), (y1, x1) in zip(pts[:-1], pts[1:]):
            for t in np.linspace(0, 1, 40):
                y, x = y0 + t * (y1 - y0), x0 + t * (x1 - x0)
                g[int(round(y)), int(round(x))] = 1.0
    return glyphs


def render(templates, n, rng):
    y = rng.integers(0, N_CLASSES, n)
    x = np.empty((n, 1, 16, 16), np.float32)
    for i, c in enumerate(y):
        dy, dx = rng.integers(-2, 3, 2)
        x[i, 0] = np.roll(templates[c], (dy, dx), (0, 1)) * rng.uniform(0.7, 1.3)
    x += 0.25 * rng.standard_normal(x.shape)
    return torch.from_numpy((x - 0.13) / 0.4).float(), torch.from_numpy(y)


class GlyphNet(nn.Module):
    """Returns the class probabilities, so that callers can threshold on confidence."""

    def __init__(self, width=16):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1, bias=False), nn.BatchNorm2d(2 * width), nn.ReLU(), nn.MaxPool2d(2),
        )
        self.fc = nn.Linear(2 * width * 16, 96)
        self.out = nn.Linear(96, N_CLASSES)

    def logits(self, x):
        h = F.relu(self.fc(self.features(x).flatten(1)))
        return self.out(h)

    def forward(self, x):
        return self.logits(x).softmax(dim=1)


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    hits = confident = n = 0
    for x, y in loader:
        conf, pred = model(x).max(1)
        hits += (pred == y).sum().item()
        confident += ((pred == y) & (conf > 0.8)).sum().item()
        n += len(y)
    model.train()
    return hits / n, confident / n


def main():
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    templates = draw_templates(rng)
    train_loader = DataLoader(TensorDataset(*render(templates, 4000, rng)), batch_size=32, shuffle=True)
    val_loader = DataLoader(TensorDataset(*render(templates, 1000, rng)), batch_size=200)

    model = GlyphNet()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-4)
    epochs = 6
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 3e-3, total_steps=epochs * len(train_loader))
    for epoch in range(epochs):
        running = 0.0
        for x, y in train_loader:
            opt.zero_grad(set_to_none=True)
            loss = soft_target_loss(model(x), smooth_targets(y, N_CLASSES, eps=0.05))
            loss.backward()
            opt.step()
            sched.step()
            running += loss.item()
        acc, confident = evaluate(model, val_loader)
        log.info("epoch %02d  loss %.4f  val acc %.3f  correct and confident %.3f",
                 epoch, running / len(train_loader), acc, confident)


if __name__ == "__main__":
    main()
