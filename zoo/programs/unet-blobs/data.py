import numpy as np
import torch
from torch.utils.data import Dataset


class BlobCells(Dataset):
    """Fluorescence-like images: elliptical cells over uneven illumination, with debris that must not be segmented."""

    def __init__(self, length: int, size: int = 32, seed: int = 0, flip: bool = False):
        self.flip = flip
        rng = np.random.default_rng(seed)
        pairs = [self._render(size, rng) for _ in range(length)]
        self.images = np.stack([p[0] for p in pairs]).astype(np.float32)
        self.masks = np.stack([p[1] for p in pairs]).astype(np.float32)

    @staticmethod
    def _render(size, rng):
        yy, xx = np.mgrid[:size, :size].astype(np.float32)
        mask = np.zeros((size, size), dtype=bool)
        for _ in range(rng.integers(1, 4)):
            cy, cx = rng.uniform(5, size - 6, 2)
            a, b = rng.uniform(3, 6, 2)
            th = rng.uniform(0, np.pi)
            u = (xx - cx) * np.cos(th) + (yy - cy) * np.sin(th)
            v = -(xx - cx) * np.sin(th) + (yy - cy) * np.cos(th)
            mask |= (u / a) ** 2 + (v / b) ** 2 < 1
        img = 0.6 * mask
        for _ in range(4):  # bright thin debris
            y, x = rng.integers(0, size - 4, 2)
            if rng.random() < 0.5:
                img[y, x : x + 4] = 0.8
            else:
                img[y : y + 4, x] = 0.8
        gy, gx = rng.uniform(-0.5, 0.5, 2)
        img = img + gy * yy / size + gx * xx / size + rng.normal(0, 0.22, img.shape)
        return img, mask

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        img = torch.from_numpy(self.images[i]).unsqueeze(0)
        mask = torch.from_numpy(self.masks[i]).unsqueeze(0)
        img = (img - img.mean()) / (img.std() + 1e-6)
        if self.flip:
            for dim in (1, 2):
                if torch.rand(1).item() < 0.5:
                    img, mask = img.flip(dim), mask.flip(dim)
        return img, mask
