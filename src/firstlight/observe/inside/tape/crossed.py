"""Each example put together with every other by broadcasting, where nobody asked for pairs.

One operand has its examples along an axis behind which there is one of length 1, and the other, which has an axis
less, has its own along that: (N, 1) with (N,). The result holds pairs of examples. Whether pairs were meant is asked of
the loss: where the place of an example beside itself weighs as much as every other place, no pair was ever told
from another. Whoever wants all pairs and their mean (a distance between two clouds) makes the axis where it is used, or
puts one thing together with itself.
"""

from collections.abc import Collection, Iterator
from typing import NamedTuple

import torch

from firstlight.observe.inside.tape.again import MOST_ROWS
from firstlight.observe.inside.tape.reach import MOVES
from firstlight.observe.inside.tape.recorder import NOT_REPEATABLE, PARAMETER, Input, Mark, Row
from firstlight.observe.inside.tape.tail import CANNOT, Tail
from firstlight.records.taped import CrossedSeen

LEAST_EXAMPLES = 4
MOST_ELEMENTS = 1 << 22
MOST_ASKED = 8
EQUAL = 1e-3
"""Relative difference between the weights of pairs, where all are the same."""
ERRORS = 3.0
"""Standard errors of their mean, where they are not: a surrogate that is clipped leaves out some."""
KEPT = MOVES | {"__getitem__", "expand", "expand_as", "detach", "data", "broadcast_to"}
FROM_DATA = Mark.DATA | Mark.DRAWN | Mark.TRAINED


class _Cross(NamedTuple):
    column: Input
    """With an axis of length 1 behind that of its examples."""
    flat: Input
    axes: tuple[int, int]
    """Of the result."""


def crossed(tail: Tail, lengths: Collection[int]) -> Iterator[CrossedSeen]:
    """One for each line. `lengths` are the numbers of examples that there may be in a batch."""
    rows = opened(tail)
    results = {made[0].number: tensor for row in rows for tensor, _, made in row.inputs if made and made[1] == 0}
    told, asked = set(), 0
    for row in rows:
        result = results.get(row.number)
        if result is None or row.line in told or not 0 < result.numel() <= MOST_ELEMENTS or asked >= MOST_ASKED:
            continue
        cross = _cross(row, result)
        if cross is None or len(cross.column[0]) not in lengths or _is_meant(row, cross):
            continue
        asked += 1
        off = _off_diagonal(Tail(tail.loss, rows, ()), result, cross.axes)
        if off is not None:
            told.add(row.line)
            yield CrossedSeen(
                operation=row.name.strip("_"),
                site=row.line,
                left=tuple(cross.column[0].shape),
                right=tuple(cross.flat[0].shape),
                result=tuple(result.shape),
                others=off,
            )


def opened(tail: Tail) -> tuple[Row, ...]:
    """The tail with the rows behind it that carry no gradient, so that they can be called again too."""
    found = {row.number: row for row in tail.rows}
    waiting = [made[0] for row in tail.rows for tensor, _, made in row.inputs if made and not tensor.requires_grad]
    while waiting and len(found) < MOST_ROWS:
        row = waiting.pop()
        if row.number in found or row.again is None or row.name in NOT_REPEATABLE:
            continue
        found[row.number] = _callable(row)
        waiting.extend(made[0] for _, _, made in row.inputs if made is not None)
    return tuple(sorted(found.values(), key=lambda row: row.number))


def _callable(row: Row) -> Row:
    assert row.again is not None
    copy = Row(row.number, row.name, row.marks)
    copy.function, _, copy.arguments, copy.keywords = row.again
    copy.inputs, copy.line, copy.writes = row.inputs, row.line, row.writes
    return copy


def _cross(row: Row, result: torch.Tensor) -> _Cross | None:
    given = [item for item in row.inputs if item[0].ndim]
    if len(given) < 2 or result.layout != torch.strided or not result.is_floating_point():
        return None
    for column in given:
        for flat in given:
            axes = _axes(tuple(column[0].shape), tuple(flat[0].shape), tuple(result.shape))
            if axes is not None and all(item[1] & FROM_DATA and item[1] & ~PARAMETER for item in (column, flat)):
                return _Cross(column, flat, axes)
    return None


def _axes(column: tuple[int, ...], flat: tuple[int, ...], result: tuple[int, ...]) -> tuple[int, int] | None:
    """Where the first axes of both come to lie in the result; None where they do not cross."""
    if len(flat) >= len(column) or column[0] != flat[0] or flat[0] < LEAST_EXAMPLES or len(column) != len(result):
        return None
    at = len(column) - len(flat)
    padded = (1,) * at + flat
    fits = all(made == max(a, b) and min(a, b) in (1, made) for made, a, b in zip(result, column, padded, strict=True))
    return (0, at) if fits and column[at] == 1 else None


def _is_meant(row: Row, cross: _Cross) -> bool:
    """The axis is made where it is used, or one thing is put together with itself."""
    column, flat = list(_moves(cross.column)), list(_moves(cross.flat))
    same = {id(tensor) for tensor, _ in column} & {id(tensor) for tensor, _ in flat}
    made_here = any(
        maker is not None and maker.line == row.line and row.line is not None and tensor.ndim > maker.inputs[0][0].ndim
        for tensor, maker in column
    )
    return bool(same) or made_here


def _moves(item: Input) -> Iterator[tuple[torch.Tensor, Row | None]]:
    """A tensor and those that it holds the values of, each with the call that only moved them."""
    tensor, _, made = item
    while made is not None and made[0].name in KEPT and made[0].inputs:
        yield tensor, made[0]
        tensor, _, made = made[0].inputs[0]
    yield tensor, None


def _off_diagonal(tail: Tail, result: torch.Tensor, axes: tuple[int, int]) -> float | None:
    """Share of the weight of all pairs that those of different examples have, if each weighs like any other."""
    try:
        with torch.enable_grad():
            leaf = _shuffled(result.detach(), axes).requires_grad_()
            (slope,) = torch.autograd.grad(tail.replay({id(result): leaf}), [leaf])
    except CANNOT:
        return None
    count = result.shape[axes[0]]
    weights = slope.detach().double().abs().movedim(axes, (0, 1)).reshape(count, count, -1).sum(2)
    own = weights.diagonal()
    others = weights[~torch.eye(count, dtype=torch.bool, device=weights.device)]
    beside, mean = float(own.mean()), float(others.mean())
    allowed = EQUAL * mean + ERRORS * float(others.std()) / count**0.5
    if not mean > 0 or not beside > 0 or not abs(beside - mean) <= allowed:
        return None
    return float(others.sum() / weights.sum())


def _shuffled(result: torch.Tensor, axes: tuple[int, int]) -> torch.Tensor:
    """The values of all pairs at other places: what a pair weighs is then told by its place alone."""
    pairs = result.movedim(axes, (0, 1))
    flat = pairs.reshape(-1, *pairs.shape[2:])
    order = torch.randperm(len(flat), generator=torch.Generator().manual_seed(0), device="cpu").to(result.device)
    return flat[order].reshape(pairs.shape).movedim((0, 1), axes).clone()
