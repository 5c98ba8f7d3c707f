"""How rows and splits relate: copies within a table, between splits, by group and time, and how splits differ."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from firstlight.data import statistics, texts
from firstlight.data.columns import kind_of
from firstlight.data.hashing import MISSING, Sketch, keys_of, numbers_of
from firstlight.data.matrix import design, is_prose
from firstlight.data.nearness import near_rows
from firstlight.data.split import Split, instant
from firstlight.records.tables import Drifted, RepeatedRows, SharedGroups, SharedRows, SharedTimes, SplitDrift

EXAMPLES = 5
LEARN_ROWS = 2000
"""Of each split, for the classifier that tells them apart."""
MOST_DRIFTED = 20
MOST_CATEGORIES = 200


def repeats(split: Split) -> RepeatedRows:
    keys, partners, rows = _settled(split.summary.exact, split)
    again = _again(keys, partners)
    other = _same_key_other_partner(keys, partners)
    near_keys, near_partners, rounded_rows = _settled(split.summary.near, split)
    near = _same_key_other_partner(near_keys, near_partners)
    (found, share), looked = _near_in_sample(split), len(keys)
    copies, near_pairs = _first(again, rows), _first(near, rounded_rows)
    return RepeatedRows(
        file=split.file,
        split=split.name,
        looked=looked,
        exact=int(again.sum()),
        near=_near(near, split, None, share, looked),
        by_chance=_chance(split),
        pairs=_told(split, [*copies, *near_pairs, *found][:EXAMPLES]),
        disagreeing=None if split.layout.target is None else int(other.sum()),
        disagreements=_told(split, _first(other, rows)),
    )


def _settled(sketch: Sketch, split: Split) -> tuple[Any, Any, Any]:
    """In order of keys, then of partners; examples that have no key of their own are no copies of each other."""
    sketch.settle()
    keys, partners, rows = sketch.keys, sketch.partners, sketch.rows
    if split.layout.exact_key is not None:
        known = keys != MISSING
        keys, partners, rows = keys[known], partners[known], rows[known]
    order = np.lexsort((rows, partners, keys))
    return keys[order], partners[order], rows[order]


def _again(keys: Any, partners: Any) -> Any:
    return _from_second((keys[1:] == keys[:-1]) & (partners[1:] == partners[:-1]), len(keys))


def _same_key_other_partner(keys: Any, partners: Any) -> Any:
    return _from_second((keys[1:] == keys[:-1]) & (partners[1:] != partners[:-1]), len(keys))


def _first(found: Any, rows: Any) -> list[tuple[int, int]]:
    """Each of the first rows that were found, beside the one before it in the order of keys."""
    places = np.flatnonzero(found)
    places = places[np.argsort(rows[places], kind="stable")][:EXAMPLES]
    return [(min(pair), max(pair)) for pair in ((int(rows[place - 1]), int(rows[place])) for place in places)]


def _from_second(pairwise: Any, rows: int) -> Any:
    """What was asked of each row and the one before it, as an answer for every row."""
    return np.concatenate([np.zeros(min(1, rows), dtype=bool), pairwise])


def _near(rounded: Any, split: Split, train: Split | None, share: float, looked: int) -> int:
    """Near copies beyond chance: by rounded rows, or by the share that a sample shows."""
    by_rows = round(int(rounded.sum()) * (1 - _chance(split, train, rounded=True))) if rounded.any() else 0
    return max(by_rows, round(share * looked))


def _near_in_sample(split: Split, train: Split | None = None) -> tuple[list[tuple[int, int]], float]:
    """By texts, and by how near rows of numbers lie: pairs, and the share of rows that have such a copy."""
    base = train or split
    lines = _prose(split, base)
    told = texts.near_pairs(lines, split.rows, *((_prose(base, base), base.rows) if train else ())) if lines else []
    by_texts = len(told) / max(1, min(len(split.rows), texts.MOST_TEXTS))
    near, by_numbers = near_rows(split, train)
    return [*told, *near], max(by_texts, by_numbers)


def _prose(split: Split, train: Split) -> list[str]:
    """All texts of each row together; nothing where there are none, or where rows have keys of their own."""
    names = [name for name in train.inputs if name in split.names and is_prose(train.table[name])]
    if train.layout.exact_key is not None or not names:
        return []
    columns = [split.table[name].to_pylist() for name in names]
    return [" ".join(str(text or "") for text in row) for row in zip(*columns, strict=True)]


def _chance(split: Split, other: Split | None = None, *, rounded: bool = False) -> float:
    """Of the copies, the share that is to be expected where columns have few values, or few when rounded."""
    if split.layout.exact_key is not None:
        return 0.0
    names = [name for name in split.layout.compared(split.names)[:400] if other is None or name in other.names]
    cells = split.layout.cells if rounded else {}
    keys = [
        [keys_of(side.table[name].combine_chunks(), cells.get(name)) for name in names]
        for side in (split, other)
        if side is not None
    ]
    return statistics.chance_of_copies(*keys) if names else 1.0


def _told(split: Split, pairs: list[tuple[int, int]]) -> tuple[str, ...]:
    return tuple(f"{split.called(first)} and {split.called(second)}" for first, second in pairs)


def shared_rows(train: Split, other: Split) -> SharedRows:
    keys, rows, held, looked = _shared(train, other, "exact")
    near_keys, rounded_rows, near_held, _ = _shared(train, other, "near")
    near = near_held & ~np.isin(rounded_rows, rows[held])
    pairs = [
        *_pairs_of(train.summary.exact, keys, rows, held),
        *_pairs_of(train.summary.near, near_keys, rounded_rows, near),
    ]
    found, share = _near_in_sample(other, train)
    return SharedRows(
        file=other.file,
        train_file=train.file,
        split=other.name,
        looked=looked,
        exact=int(held.sum()),
        near=_near(near, other, train, share, looked),
        by_chance=_chance(train, other),
        pairs=tuple(
            f"{other.called(own)} of {other.name} and {train.called(theirs)} of train"
            for theirs, own in [*pairs, *found][:EXAMPLES]
        ),
    )


def _shared(train: Split, other: Split, which: str) -> tuple[Any, Any, Any, int]:
    """Keys and rows of the other split, whether training holds them, and how many were looked at."""
    ours, theirs = getattr(train.summary, which), getattr(other.summary, which)
    ours.settle()
    theirs.settle()
    kept = theirs.keys <= min(ours.bound, theirs.bound)
    if train.layout.exact_key is not None:
        kept &= theirs.keys != MISSING
    keys, rows = theirs.keys[kept], theirs.rows[kept]
    return keys, rows, np.isin(keys, ours.keys), len(keys)


def _pairs_of(ours: Sketch, keys: Any, rows: Any, held: Any) -> Iterator[tuple[int, int]]:
    places = np.flatnonzero(held)
    for place in places[np.argsort(rows[places], kind="stable")][:EXAMPLES]:
        yield int(ours.rows[np.searchsorted(ours.keys, keys[place])]), int(rows[place])


def shared_groups(train: Split, other: Split, column: str) -> SharedGroups:
    train.summary.groups.settle()
    other.summary.groups.settle()
    bound = min(train.summary.groups.bound, other.summary.groups.bound)
    theirs = np.unique(other.summary.groups.keys)
    theirs = theirs[(theirs <= bound) & (theirs != MISSING)]
    held = np.isin(theirs, train.summary.groups.keys)
    sample = other.table[column].combine_chunks()
    named = dict(zip(keys_of(sample).tolist(), map(str, sample.to_pylist()), strict=True))
    examples = [named[key] for key in theirs[held].tolist() if key in named]
    return SharedGroups(
        file=other.file,
        column=column,
        groups=len(theirs),
        shared=int(held.sum()),
        examples=tuple(examples[:EXAMPLES]),
    )


def shared_times(train: Split, other: Split, column: str) -> SharedTimes | None:
    """Where the training data hold rows that are not before those of the other split."""
    ours, theirs = train.summary.tallies[column], other.summary.tallies.get(column)
    if theirs is None or theirs.low is None or ours.high is None or ours.kind == "text":
        return None
    times = numbers_of(train.table[column].combine_chunks())
    times = times[np.isfinite(times)]
    shown = instant if ours.kind == "time" else lambda number: f"{number:.10g}"
    return SharedTimes(
        file=other.file,
        split=other.name,
        column=column,
        first=str(shown(theirs.low)),
        latest_trained=str(shown(ours.high)),
        later_share=float(np.mean(times >= theirs.low)) if len(times) else 0.0,
    )


def drift(train: Split, other: Split) -> SplitDrift:
    """Columns by which rows are numbered, and the time, differ between splits by their nature."""
    layout = train.layout
    names = [name for name in train.inputs if name in other.names and kind_of(other.table[name].type) != "other"]
    compared = [*names, *([layout.target] if layout.target in other.names and layout.target is not None else [])]
    found = [(name, *_distance(train.table[name], other.table[name])) for name in compared]
    halves = _halves(train)
    within = {name: _distance(halves[0][name], halves[1][name])[0] for name in compared if halves}
    corrected = statistics.corrected([p for _, _, p, _ in found])
    columns = [
        Drifted(name=name, distance=distance, q=q, saw=saw, within=within.get(name, 0.0))
        for (name, distance, _, saw), q in zip(found, corrected, strict=True)
    ]
    told_apart, by = _told_apart(train.table, other.table, names)
    return SplitDrift(
        file=other.file,
        split=other.name,
        rows=len(other.rows),
        columns=tuple(sorted(columns, key=lambda one: -one.distance)[:MOST_DRIFTED]),
        told_apart=told_apart,
        by=by,
        within=_told_apart(*halves, names)[0] if halves else 0.5,
        unseen=_unseen(train, other),
    )


def _halves(train: Split) -> tuple[Any, Any] | None:
    """The earlier and the later rows of the training data, where a time was named."""
    if train.layout.time is None:
        return None
    order = np.argsort(numbers_of(train.table[train.layout.time].combine_chunks()), kind="stable")
    middle = len(order) // 2
    return train.table.take(order[:middle]), train.table.take(order[middle:])


def _distance(ours: Any, theirs: Any) -> tuple[float, float, str]:
    kinds = {kind_of(ours.type), kind_of(theirs.type)}
    if is_prose(ours):
        return (*_of_lengths(ours, theirs), "their lengths differ")
    if kinds <= {"number", "whole", "time", "flag"}:
        one, other = (numbers_of(each.combine_chunks()) for each in (ours, theirs))
        known = [np.isfinite(each) for each in (one, other)]
        absent, p = statistics.distance_of_counts(*([int(each.sum()), int((~each).sum())] for each in known))
        one, other = one[known[0]], other[known[1]]
        middles = [float(np.median(each)) if len(each) else float("nan") for each in (other, one)]
        apart = statistics.distance_of_numbers(one, other)
        if absent > apart[0]:
            shares = [float((~each).mean()) for each in known]
            return absent, p, f"{shares[1]:.0%} missing, in training {shares[0]:.0%}"
        return (*apart, f"median {middles[0]:.4g}, in training {middles[1]:.4g}")
    counted = [Counter(map(str, each.to_pylist())) for each in (ours, theirs)]
    values = [value for value, _ in (counted[0] + counted[1]).most_common(MOST_CATEGORIES)]
    common = [count.most_common(1)[0][0] if count else "nothing" for count in counted]
    distance = statistics.distance_of_counts(*([count[value] for value in values] for count in counted))
    return (*distance, f"most often {common[1]!r:.40}, in training {common[0]!r:.40}")


def _of_lengths(ours: Any, theirs: Any) -> tuple[float, float]:
    one, other = (
        np.array([len(str(text)) for text in each.to_pylist() if text is not None]) for each in (ours, theirs)
    )
    return statistics.distance_of_numbers(one, other)


def _told_apart(ours: Any, theirs: Any, names: list[str]) -> tuple[float, tuple[str, ...]]:
    if not names or min(len(ours), len(theirs)) < 5 * statistics.FEW:
        return 0.5, ()
    ours, theirs = (each.take(np.arange(0, len(each), max(1, len(each) // LEARN_ROWS))) for each in (ours, theirs))
    one, two = design(ours, names), design(theirs, names, like=ours)
    if one.values.shape[1] != two.values.shape[1] or not one.values.shape[1]:
        return 0.5, ()
    told, importance = statistics.told_apart(one.values, two.values)
    weight: dict[str, float] = {}
    for owner, share in zip(one.owners, importance, strict=True):
        weight[owner] = weight.get(owner, 0.0) + float(share)
    best = sorted(weight, key=lambda name: -weight[name])[:3]
    return told, tuple(f"`{name}` ({weight[name]:.0%})" for name in best)


def _unseen(train: Split, other: Split) -> tuple[str, ...]:
    target = train.layout.target
    if target is None or target not in other.summary.tallies:
        return ()
    ours, theirs = train.summary.tallies[target].counts, other.summary.tallies[target].counts
    if ours is None or theirs is None or train.summary.tallies[target].kind == "number":
        return ()
    return tuple(value for value in theirs if value not in ours)
