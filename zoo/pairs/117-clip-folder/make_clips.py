"""Synthesises a small folder of clips with a csv of labels, in the order they were recorded."""
import csv
from pathlib import Path

import numpy as np

RATE = 4000
NAMES = ["rise", "fall", "warble", "hiss", "pulse"]


def tone(kind, rng, n):
    t = np.arange(n) / RATE
    d = n / RATE
    lo, hi = rng.uniform(300, 500), rng.uniform(900, 1400)
    if kind == 0:
        f = lo + (hi - lo) * t / d
    elif kind == 1:
        f = hi - (hi - lo) * t / d
    elif kind == 2:
        f = (lo + hi) / 2 + (hi - lo) / 4 * np.sin(2 * np.pi * rng.uniform(10, 16) * t)
    elif kind == 3:
        k = rng.normal(0, 1, n)
        return np.convolve(k, np.hanning(5) / 2, "same")
    else:
        f = np.full(n, rng.uniform(500, 1000))
        gate = (np.sin(2 * np.pi * rng.uniform(12, 18) * t) > 0).astype(float)
        return gate * np.sin(2 * np.pi * np.cumsum(f) / RATE)
    return np.sin(2 * np.pi * np.cumsum(f) / RATE + rng.uniform(0, 6.28))


def build(folder, n=1400, seed=0):
    rng = np.random.default_rng(seed)
    folder = Path(folder)
    rows, i = [], 0
    while i < n:
        kind = int(rng.integers(len(NAMES)))
        for _ in range(int(rng.integers(8, 30))):
            if i == n:
                break
            x = tone(kind, rng, 1024)
            x = x * rng.uniform(0.4, 1.0) + rng.normal(0, 0.25, len(x))
            np.save(folder / f"clip_{i}.npy", x.astype(np.float32))
            rows.append((i, NAMES[kind]))
            i += 1
    with open(folder / "labels.csv", "w", newline="") as fh:
        w = csv.writer(fh)
        w.writerow(["clip", "label"])
        w.writerows(rows)
