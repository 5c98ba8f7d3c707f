"""Rows of numbers that lie far nearer to one another than rows of such a table do: copies that were rounded, scaled,
compressed or disturbed a little."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from firstlight.data.hashing import keys_of, rows_of
from firstlight.data.images import FLAT, GREY
from firstlight.data.matrix import design
from firstlight.data.split import Split

NEIGHBOURS = 5
ASKED = 4000
"""Rows whose neighbours are looked for, among all rows of a sample."""
LEAST_ROWS = 20
MOST_COLUMNS = 100
CHANCE = 2.5e-5
"""Probability with which a row that was not copied is told, by each of the four farther neighbours."""
MOST_RATIO = 0.2
"""However many directions rows differ in: a copy lies five times nearer than the fifth neighbour."""
EQUAL = 1e-9
OUTSIDE = 5.0
"""Spreads from the middle beyond which one value no longer decides which rows are near."""


def near_rows(split: Split, train: Split | None = None) -> tuple[list[tuple[int, int]], float]:
    """Pairs of rows, the one that was copied first, and the share of the rows asked that have such a copy.

    Where rows fill a space of D directions, the nearest neighbour is closer than a share r of the fifth's distance with
    a probability of about 4 rᴰ. D is read off the rows themselves, so that smooth series, whose rows lie on a line, are
    allowed nearer neighbours than noise.
    """
    base = train or split
    images = base.source.images
    measured = set(GREY) if images else base.layout.cells.keys() & set(split.layout.inputs(split.names))
    names = [name for name in base.layout.compared(base.names) if name in measured][:MOST_COLUMNS]
    if len(names) < 2 or len(base.rows) < LEAST_ROWS:
        return [], 0.0
    places = np.unique(np.linspace(0, len(split.rows) - 1, min(ASKED, len(split.rows))).astype(int))
    theirs, own = design(base.table, names).values, design(split.table, names, like=base.table).values[places]
    theirs, own = (_lit_alike(theirs), _lit_alike(own)) if images else _scaled(theirs, own)
    found, distances = _neighbours(theirs, own, None if train else places)
    copied = _copied(distances)
    if not images:
        copied &= _same_words(base, split, names, found, places)
    if train is None:
        copied &= found < places  # of a pair, the later row is the copy
    pairs = [(int(base.rows[found[at]]), int(split.rows[places[at]])) for at in np.flatnonzero(copied)]
    return pairs, len(pairs) / len(places)


def _scaled(theirs: Any, own: Any) -> tuple[Any, Any]:
    low, middle, high = np.percentile(theirs, [25, 50, 75], axis=0)
    spread = np.where(high > low, high - low, theirs.astype(np.float64).std(axis=0))
    scale = np.where(spread > 0, spread, 1.0)
    one, other = (np.clip((each - middle) / scale, -OUTSIDE, OUTSIDE) for each in (theirs, own))
    return one.astype(np.float64), other.astype(np.float64)


def _lit_alike(greys: Any) -> Any:
    """Small grey pictures without their brightness and contrast; those that show nothing are all the same."""
    greys = greys.astype(np.float64)
    apart = greys - greys.mean(axis=1, keepdims=True)
    spread = apart.std(axis=1, keepdims=True)
    return np.where(spread >= FLAT, apart / np.maximum(spread, FLAT), 0.0)


def _neighbours(theirs: Any, own: Any, places: Any) -> tuple[Any, Any]:
    """The nearest row of each, and the distances of the nearest and the fifth; a row is not its own neighbour."""
    from sklearn.neighbors import NearestNeighbors

    distances, found = NearestNeighbors(n_neighbors=NEIGHBOURS + 1, algorithm="brute").fit(theirs).kneighbors(own)
    if places is not None:
        itself = found == places[:, None]
        itself[~itself.any(axis=1), -1] = True  # copies of it came first
        others = np.argsort(itself, axis=1, kind="stable")[:, :NEIGHBOURS]
        found, distances = np.take_along_axis(found, others, 1), np.take_along_axis(distances, others, 1)
    nearest = np.linalg.norm(own - theirs[found[:, 0]], axis=1)  # that of equal rows is not quite 0 above
    return found[:, 0], np.stack([nearest, distances[:, NEIGHBOURS - 1]], axis=1)


def _copied(distances: Any) -> Any:
    nearest, fifth = distances.T
    apart = (nearest > EQUAL) & (fifth > nearest)
    if apart.sum() < LEAST_ROWS // 2:
        return apart & False
    ratios = np.log(nearest[apart] / fifth[apart])
    half = np.log(1 - 0.5 ** (1 / (NEIGHBOURS - 1)))  # of ratios to the power of D, the median
    directions = max(1.0, float(half / np.median(ratios)))
    return apart & (nearest <= min(MOST_RATIO, CHANCE ** (1 / directions)) * fifth)


def _same_words(base: Split, split: Split, names: Sequence[str], found: Any, places: Any) -> Any:
    """Whatever is not measured must be equal."""
    both = set(split.names) - set(names)
    rest = [name for name in base.layout.compared(base.names) if name in both]
    ours, theirs = (
        rows_of([keys_of(side.table[name].combine_chunks()) for name in rest], len(side.rows)) for side in (split, base)
    )
    return ours[places] == theirs[found]
