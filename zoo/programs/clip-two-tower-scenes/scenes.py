"""Rendered coloured shapes and captions for them."""

import itertools

import numpy as np

SHAPES = ["square", "disc", "cross", "bar"]
COLORS = {"red": (1, 0.1, 0.1), "green": (0.1, 0.9, 0.2), "blue": (0.1, 0.2, 1), "yellow": (0.9, 0.9, 0.1)}
ROWS = ["top", "middle", "bottom"]
COLS = ["left", "centre", "right"]
COMBOS = list(itertools.product(SHAPES, COLORS, ROWS, COLS))
CAPTIONS = [
    "a {c} {s} at the {r} {p}",
    "{s} in {c} , {r} {p}",
    "there is a {c} {s} in the {r} {p} of the picture",
    "the {r} {p} shows one {c} {s}",
]


def render(combo, rng, size=15):
    shape, color, row, col = combo
    img = rng.normal(0.0, 0.2, (3, size, size))
    r0, c0 = 5 * ROWS.index(row), 5 * COLS.index(col)
    cell = np.zeros((5, 5))
    if shape == "square":
        cell[1:4, 1:4] = 1
    elif shape == "disc":
        yy, xx = np.mgrid[-2:3, -2:3]
        cell[yy**2 + xx**2 <= 5] = 1
    elif shape == "cross":
        cell[2, :] = cell[:, 2] = 1
    else:
        cell[2, :] = 1
    gain = rng.uniform(0.7, 1.1)
    for ch, v in enumerate(COLORS[color]):
        img[ch, r0 : r0 + 5, c0 : c0 + 5] += gain * v * cell
    return img.astype(np.float32)


def caption(combo, rng):
    s, c, r, p = combo
    return rng.choice(CAPTIONS).format(s=s, c=c, r=r, p=p)
