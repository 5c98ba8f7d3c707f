import numpy as np
import torch
from torch.utils.data import Dataset


def render_glyphs(n, num_classes=8, seed=0, size=24):
    """Small random-stroke glyphs. Every class is a fixed set of strokes; each sample is jittered. Returns uint8."""
    proto_rng = np.random.RandomState(1234)
    prototypes = proto_rng.uniform(5, size - 6, size=(num_classes, 4, 2))
    rng = np.random.RandomState(seed)
    labels = rng.randint(num_classes, size=n)
    yy, xx = np.mgrid[:size, :size]
    out = np.zeros((n, size, size), dtype=np.uint8)
    for i, c in enumerate(labels):
        pts = prototypes[c] + rng.normal(0, 0.9, size=(4, 2)) + rng.uniform(-3.5, 3.5, size=(1, 2))
        img = np.zeros((size, size))
        for (x0, y0), (x1, y1) in zip(pts[:-1], pts[1:]):
            dx, dy = x1 - x0, y1 - y0
            t = np.clip(((xx - x0) * dx + (yy - y0) * dy) / (dx * dx + dy * dy + 1e-6), 0, 1)
            d2 = (xx - x0 - t * dx) ** 2 + (yy - y0 - t * dy) ** 2
            img = np.maximum(img, np.exp(-d2 / 1.2))
        if rng.rand() < 0.5:  # some glyphs appear mirrored
            img = img[:, ::-1]
        img = 200 * img * rng.uniform(0.6, 1.0) + rng.normal(30, 25, size=img.shape)
        out[i] = np.clip(img, 0, 255).astype(np.uint8)
    return out, labels.astype(np.int64)


class GlyphDataset(Dataset):
    def __init__(self, images, labels, mean, std, augment=False, max_shift=3, noise=0.1):
        assert images.dtype == np.uint8
        self.images = images
        self.labels = labels
        self.mean = mean
        self.std = std
        self.augment = augment
        self.max_shift = max_shift
        self.noise = noise

    def __len__(self):
        return len(self.images)

    def _augment(self, x):
        if torch.rand(()) < 0.5:
            x = torch.flip(x, dims=[-1])
        s = self.max_shift
        dy, dx = torch.randint(0, 2 * s + 1, (2,)).tolist()
        h, w = x.shape[-2:]
        background = x.median()
        padded = torch.full((1, h + 2 * s, w + 2 * s), background.item())
        padded[:, s : s + h, s : s + w] = x
        x = padded[:, dy : dy + h, dx : dx + w]
        return x + self.noise * torch.randn_like(x)

    def __getitem__(self, idx):
        x = torch.from_numpy(self.images[idx]).float().div(255.0)[None]
        x = (x - self.mean) / self.std
        if self.augment:
            x = self._augment(x)
        return x, int(self.labels[idx])
