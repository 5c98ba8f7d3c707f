import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


def make_canvases(images, labels, n, rng, size=16):
    """Place each 8x8 digit somewhere on a 16x16 noisy canvas."""
    idx = rng.integers(0, len(images), n)
    out = rng.normal(0.0, 0.15, size=(n, 1, size, size))
    for k, i in enumerate(idx):
        r, c = rng.integers(0, size - 8 + 1, 2)
        out[k, 0, r:r + 8, c:c + 8] += images[i]
    return torch.tensor(out, dtype=torch.float32), torch.tensor(labels[idx])


def get_data(seed=0):
    rng = np.random.default_rng(seed)
    d = load_digits()
    a, b, ya, yb = train_test_split(d.images / 16.0, d.target, test_size=0.25, random_state=seed, stratify=d.target)
    return make_canvases(a, ya, 2400, rng), make_canvases(b, yb, 600, rng)
