"""Procedurally drawn shapes on textured backgrounds."""

import numpy as np
import torch
from torch.utils.data import TensorDataset

CLASSES = ("disk", "square", "triangle", "ring", "cross")
SIZE = 20


def _mask(kind, rng):
    yy, xx = np.mgrid[0:SIZE, 0:SIZE].astype(np.float32)
    cx, cy = rng.uniform(7, SIZE - 8, size=2)
    r = rng.uniform(4.0, 6.5)
    dx, dy = xx - cx, yy - cy
    if kind == "disk":
        return dx**2 + dy**2 <= r**2
    if kind == "square":
        return (np.abs(dx) <= r * 0.85) & (np.abs(dy) <= r * 0.85)
    if kind == "triangle":
        return (dy >= -r) & (dy <= r * 0.8) & (np.abs(dx) <= (dy + r) * 0.55)
    if kind == "ring":
        d = np.sqrt(dx**2 + dy**2)
        return (d <= r) & (d >= r * 0.55)
    if kind == "cross":
        w = r * 0.32
        return ((np.abs(dx) <= w) & (np.abs(dy) <= r)) | ((np.abs(dy) <= w) & (np.abs(dx) <= r))
    raise ValueError(kind)


def _texture(rng):
    yy, xx = np.mgrid[0:SIZE, 0:SIZE].astype(np.float32)
    angle = rng.uniform(0, np.pi)
    freq = rng.uniform(0.3, 1.2)
    wave = np.sin(freq * (np.cos(angle) * xx + np.sin(angle) * yy) + rng.uniform(0, 6.28))
    return 0.2 * wave


def make_split(n, seed):
    rng = np.random.default_rng(seed)
    images = np.empty((n, 3, SIZE, SIZE), dtype=np.float32)
    labels = rng.integers(0, len(CLASSES), size=n)
    for i, label in enumerate(labels):
        mask = _mask(CLASSES[label], rng)
        fg = rng.uniform(0.1, 1.0, size=3)
        bg = rng.uniform(-1.0, -0.1, size=3)
        img = np.where(mask[None], fg[:, None, None], bg[:, None, None])
        images[i] = img + _texture(rng)[None] + rng.normal(0, 0.15, size=img.shape)
    return images, labels


def get_datasets(n_train=1200, n_val=300, n_test=400, seed=0):
    splits = [make_split(n, seed + k) for k, n in enumerate((n_train, n_val, n_test))]
    mean = splits[0][0].mean(axis=(0, 2, 3), keepdims=True)
    std = splits[0][0].std(axis=(0, 2, 3), keepdims=True)
    return [TensorDataset(torch.from_numpy((x - mean) / std), torch.from_numpy(y)) for x, y in splits]
