"""The flow of values: where the examples of a batch all but stop differing, and where values grow out of all bounds."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from firstlight.records.taped import TapeRow

RESTORE = frozenset({"batch_norm"})
"""It brings what differs between the examples back to a size of one."""
_NORMALISE = """batch_norm layer_norm group_norm instance_norm rms_norm normalize var std rsqrt softmax log_softmax
logsumexp max amax topk"""
NORMALISE = frozenset(_NORMALISE.split())
"""After one of these the size of what came in does not matter, or very negative values stand for nothing at all."""
MASKED = 1e6
"""Size from which on values are taken for the marks of a mask, beside which nothing else can be seen."""
RECURRENT = frozenset({"lstm", "gru", "rnn_tanh"})
ENDS = frozenset({"tanh", "tanh_", "sigmoid", "sigmoid_"})
NEAR = 3
"""Calls within which values are normalised, where that is written by hand."""


@dataclass(frozen=True, slots=True)
class Narrowest:
    """The least by which examples differ on the best way from the data to the last layer, relative to the values."""

    spread: float
    row: TapeRow
    """The call in which most is lost."""
    before: float
    entry: bool
    """Data enter the network in it."""


@dataclass(frozen=True, slots=True)
class Largest:
    """The largest values before the last layer that nothing normalises, and the call that made them so large."""

    size: float
    row: TapeRow
    before: float
    entry: bool


def narrowest(rows: dict[int, TapeRow], predictions: tuple[int, ...]) -> Narrowest | None:
    """None where the network has one layer only, or its rows do not tell the examples apart."""
    spreads: dict[int, float] = {}
    best: dict[int, int] = {}
    for number, row in sorted(rows.items()):
        behind = [other for other in _behind(rows, row) if other.number in spreads]
        widest = max(behind, key=lambda other: spreads[other.number], default=None)
        if widest is not None:
            best[number] = widest.number
        came = math.inf if widest is None else spreads[widest.number]
        own = _spread(row)
        spreads[number] = own if row.operation in RESTORE and own < math.inf else min(own, came)
    ends = [other.number for row in _last_layers(rows, predictions) for other in _behind(rows, row)]
    end = max(ends, key=lambda number: spreads[number], default=None)
    if end is None or spreads[end] == math.inf:
        return None
    way = list(_way(best, end))
    falls = [(spreads[best[n]] if n in best else 1.0) / max(spreads[n], 1e-300) for n in way]
    if falls[-1] * falls[-1] * spreads[end] < 1:  # less is lost where they enter than in all the rest
        falls[-1] = 0.0
    at = way[falls.index(max(falls))]
    return Narrowest(spreads[end], rows[at], spreads[best[at]] if at in best else 1.0, not _behind(rows, rows[at]))


def largest(rows: dict[int, TapeRow], predictions: tuple[int, ...]) -> Largest | None:
    """The last layers themselves are left out: what they give is as large as the answers."""
    after: dict[int, list[TapeRow]] = {}
    for row in rows.values():
        for number in row.made_from:
            after.setdefault(number, []).append(row)
    within: dict[int, TapeRow] = {}
    waiting = [other for row in _last_layers(rows, predictions) for other in _behind(rows, row)]
    while waiting:
        row = waiting.pop()
        if row.number not in within:
            within[row.number] = row
            waiting.extend(_behind(rows, row))
    return _grown(rows, [row for row in within.values() if not _normalised(row, after)])


def squashed(rows: dict[int, TapeRow]) -> tuple[Largest, str] | None:
    """The largest values that a recurrent layer is given, or a tanh or sigmoid whose outputs enter the next layer at
    once; and which of them it is. What is multiplied first may be a gate, or a part of another activation."""
    layers = {number for row in rows.values() if row.entry for number in row.made_from}
    at_ends = [
        row for row in rows.values() if row.operation in RECURRENT or (row.operation in ENDS and row.number in layers)
    ]
    found = [(told, row.operation) for row in at_ends if (told := _grown(rows, _behind(rows, row))) is not None]
    return max(found, key=lambda pair: pair[0].size, default=None)


def _grown(rows: dict[int, TapeRow], among: list[TapeRow]) -> Largest | None:
    """The largest of these, and where on the way to it values grow most."""
    most = max((row for row in among if math.isfinite(row.size)), key=lambda row: row.size, default=None)
    if most is None:
        return None
    grown = [(row, max([other.size for other in _behind(rows, row)], default=1.0)) for row in _upto(rows, most)]
    at, before = max(grown, key=lambda pair: pair[0].size / max(pair[1], 1e-300))
    return Largest(most.size, at, before, not _behind(rows, at))


@dataclass(frozen=True, slots=True)
class Waist:
    """The fewest numbers that the network has for an example on its way to one prediction, and the prediction's."""

    row: TapeRow
    numbers: float
    outputs: float


JOIN = frozenset({"cat", "concat", "concatenate", "hstack", "stack"})


def waist(rows: dict[int, TapeRow], predictions: tuple[int, ...]) -> Waist | None:
    """Of the predictions, the one whose way narrows most. Inputs that are few are no matter of the network."""
    passes: dict[int, float] = {}
    through: dict[int, TapeRow] = {}
    for number, row in sorted(rows.items()):
        behind = _behind(rows, row)
        own = math.prod(row.shape[1:]) if row.examples is not None and row.trained else math.inf
        came = sum(passes[other.number] for other in behind) if behind else math.inf
        if own <= came or (row.operation in JOIN and own < math.inf):  # more was joined than is on the tape
            passes[number], through[number] = own, row
        else:
            narrow = min(behind, key=lambda other: passes[other.number])
            passes[number], through[number] = came, through[narrow.number]
    ends = [n for n in predictions if n in passes and passes[n] < math.inf and rows[n].examples is not None]
    end = min(ends, key=lambda n: passes[n] / max(1, math.prod(rows[n].shape[1:])), default=None)
    return None if end is None else Waist(through[end], passes[end], math.prod(rows[end].shape[1:]))


@dataclass(frozen=True, slots=True)
class Steepest:
    """The call between the data and the predictions in which values grow most."""

    row: TapeRow
    before: float
    entry: bool
    last: bool
    """No trained tensor enters after it."""


def steepest(rows: dict[int, TapeRow], predictions: tuple[int, ...]) -> Steepest | None:
    """Along the way of the largest values that leads to the largest predictions."""
    ends = [rows[number] for number in predictions if number in rows and math.isfinite(rows[number].size)]
    if not ends:
        return None
    way = list(_upto(rows, max(ends, key=lambda row: row.size)))
    grown = [(row, max([other.size for other in _behind(rows, row)], default=1.0)) for row in way]
    at, before = max(grown, key=lambda pair: pair[0].size / max(pair[1], 1e-300))
    return Steepest(at, before, not _behind(rows, at), not any(row.entry for row in way[: way.index(at)]))


def _spread(row: TapeRow) -> float:
    """Infinite where it is not known."""
    if row.spread is None or not 0 < row.size < MASKED:
        return math.inf
    return row.spread / row.size


def _behind(rows: dict[int, TapeRow], row: TapeRow) -> list[TapeRow]:
    return [rows[number] for number in row.made_from if number in rows and number < row.number and rows[number].data]


def _last_layers(rows: dict[int, TapeRow], predictions: tuple[int, ...]) -> Iterator[TapeRow]:
    """The last calls before the predictions in which trained tensors enter."""
    waiting, seen = [rows[number] for number in predictions if number in rows], set[int]()
    while waiting:
        row = waiting.pop()
        if row.number in seen:
            continue
        seen.add(row.number)
        if row.entry and row.trained:
            yield row
        else:
            waiting.extend(_behind(rows, row))


def _way(best: dict[int, int], end: int) -> Iterator[int]:
    yield end
    while end in best:
        end = best[end]
        yield end


def _upto(rows: dict[int, TapeRow], end: TapeRow) -> Iterator[TapeRow]:
    """The row and, from each, the largest behind it."""
    while True:
        yield end
        behind = [row for row in _behind(rows, end) if math.isfinite(row.size)]
        if not behind:
            return
        end = max(behind, key=lambda row: row.size)


def _normalised(row: TapeRow, after: dict[int, list[TapeRow]]) -> bool:
    near = [row]
    for _ in range(NEAR):
        near = [other for one in near for other in after.get(one.number, [])][:64]
        if any(other.operation in NORMALISE for other in near):
            return True
    return False
