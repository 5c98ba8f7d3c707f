"""What the inputs of the training data know of its target: too much, nothing, or the target of another row."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from firstlight.data import statistics
from firstlight.data.hashing import keys_of
from firstlight.data.images import thumbnail
from firstlight.data.matrix import Design, design, target_of
from firstlight.data.pairs import strongest_pair
from firstlight.data.split import Split
from firstlight.data.statistics import TargetValues
from firstlight.records.doubts import doubts_of
from firstlight.records.tables import Doubt, LabelDoubts, TargetFit, TargetPower

LEARN_ROWS = 4000
LEAST_ROWS = 60
MOST_COLUMNS = 200
"""Columns of numbers that a forest is grown on; of more, those with the strongest simple relation to the target."""
MOST_CLASSES = 200
"""Of more, names or texts, a forest on a sample learns nothing."""
BEST = 5
NEARLY = 0.02
"""Columns within this of the best single one count as strongest together with it."""
STRONG = 0.9
LOW = 0.2
"""Skill below which other offsets are tried."""
FARTHEST = 100
"""Rows to either side among which an offset is looked for, by correlation."""
OFFSETS_TRIED = 4
"""… and those with the strongest, that a forest is grown for."""
FEW_TREES = 25
SHOWN = 80
COPY = 0.999
"""Correlation of ranks from which on an input is the target of another row."""


def answers(train: Split, head: Any, needed: frozenset[type]) -> Iterator[Any]:
    """Facts on the target; `head` holds the first rows, in their order."""
    name = train.layout.target
    if name is None or not train.inputs or not needed & {TargetPower, TargetFit, LabelDoubts}:
        return
    every = max(1, len(train.rows) // LEARN_ROWS)
    places = np.arange(0, len(train.rows), every)
    table, rows = train.table.take(places), train.rows[places]
    target, known = target_of(table[name])
    table, rows = table.take(np.flatnonzero(known)), rows[known]
    different = len(np.unique(target.values))
    if len(rows) < LEAST_ROWS or different < 2 or (target.classes and different > MOST_CLASSES):
        return
    inputs = _narrowed(design(table, train.inputs), target)
    learnt = statistics.learnt(inputs.values, target)
    if TargetPower in needed:
        yield power(train, inputs, target, table)
    yield fit(train, learnt.skill, inputs, target, head)
    if target.classes:
        yield _doubts(train, learnt, target, table, rows)


def _narrowed(inputs: Design, target: TargetValues) -> Design:
    if inputs.values.shape[1] <= MOST_COLUMNS:
        return inputs
    kept = sorted(statistics.screened(inputs.values, target, MOST_COLUMNS))
    return Design(inputs.values[:, kept], tuple(inputs.owners[place] for place in kept))


def power(train: Split, inputs: Design, target: TargetValues, table: Any) -> TargetPower:
    name = str(train.layout.target)
    alone: dict[str, float] = {}
    for place in statistics.screened(inputs.values, target):
        skill = statistics.skill_alone(inputs.values[:, place], target)
        alone[inputs.owners[place]] = max(skill, alone.get(inputs.owners[place], 0.0))
    best = dict(sorted(alone.items(), key=lambda pair: -pair[1])[:BEST])
    top = max(best.values(), default=0.0)
    strongest = tuple(one for one, skill in alone.items() if skill >= top - NEARLY) if top >= STRONG else ()
    rest = inputs.without(strongest)
    others = statistics.learnt(rest, target).skill if strongest and rest.shape[1] else None
    pair, pair_skill, pair_others = ("", 0.0, None) if strongest else _by_two(inputs, target)
    return TargetPower(
        file=train.file,
        target=name,
        rows=len(target.values),
        alone=best,
        strongest=strongest,
        others=others,
        copies=tuple(one for one in strongest if _equal(table[one], table[name])),
        pair=pair,
        pair_skill=pair_skill,
        pair_others=pair_others,
    )


def _by_two(inputs: Design, target: TargetValues) -> tuple[str, float, float | None]:
    best = strongest_pair(inputs, target)
    if best is None or best[1] < STRONG:
        return "", 0.0, None
    rest = inputs.without((best[0].one, best[0].two))
    return str(best[0]), best[1], statistics.learnt(rest, target).skill if rest.shape[1] else None


def _equal(one: Any, other: Any) -> bool:
    return bool(np.array_equal(keys_of(one.combine_chunks()), keys_of(other.combine_chunks())))


def fit(train: Split, skill: float, inputs: Design, target: TargetValues, head: Any) -> TargetFit:
    mixed = np.random.default_rng(statistics.SEED).permutation(len(target.values))
    low = skill < LOW
    without = (
        statistics.learnt(inputs.values, TargetValues(target.values[mixed], target.classes), FEW_TREES).skill
        if low
        else 0.0
    )
    shifted, forecast = _shifted(train, head) if low else ({}, False)
    return TargetFit(
        file=train.file,
        target=str(train.layout.target),
        rows=len(target.values),
        skill=skill,
        without=without,
        shifted=shifted,
        forecast=forecast,
    )


def _shifted(train: Split, head: Any) -> tuple[dict[int, float], bool]:
    """Skill of the first rows for the targets of the rows around them."""
    name = str(train.layout.target)
    target, known = target_of(head[name])
    if not known.all() or len(known) < LEAST_ROWS:
        return {}, False
    inputs = _narrowed(design(head, train.inputs), target)
    found, copied = {}, {}
    for offset in statistics.fitting_offsets(inputs.values, target, FARTHEST)[:OFFSETS_TRIED]:
        here, there = statistics.moved_by(offset)
        moved = TargetValues(target.values[there], target.classes)
        found[offset] = statistics.learnt(inputs.values[here], moved, FEW_TREES).skill
        copied[offset] = _copied(inputs.values[here], moved)
    best = max(found, key=lambda offset: found[offset])
    return found, copied[best]


def _copied(inputs: Any, target: TargetValues) -> bool:
    from scipy import stats

    with np.errstate(all="ignore"):
        ranks = [stats.rankdata(column) for column in inputs.T[: statistics.SCREENED]]
        own = stats.rankdata(target.values)
        related = [abs(np.corrcoef(each, own)[0, 1]) for each in ranks if each.std() > 0]
    return max(related, default=0.0) >= COPY


def _doubts(train: Split, learnt: statistics.Learnt, target: TargetValues, table: Any, rows: Any) -> LabelDoubts:
    found = doubts_of(target.values.tolist(), learnt.chances.tolist())
    shown = ["file"] if train.source.images else train.inputs[:4]
    return LabelDoubts(
        file=train.file,
        target=str(train.layout.target),
        doubts=found,
        doubtful=tuple(
            Doubt(
                row=int(rows[one.place]),
                label=target.classes[one.given],
                expected=target.classes[one.expected],
                probability=one.probability,
                shown=", ".join(f"{name}={_short(table[name][one.place].as_py())}" for name in shown),
                picture=thumbnail(train.source.parts[0].path, table["file"][one.place].as_py())
                if train.source.images
                else "",
            )
            for one in found.doubtful
        ),
    )


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)[:SHOWN]
