"""Which examples a loss pulls together, whatever it is made of: similarities, distances, a matrix of them or a hinge.

Where two examples are pulled together, moving one changes the gradient of the other against it: the trace of the
second derivative by both is negative. It is asked of a copy of the tail, where only the loss's own calls are.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import torch

from firstlight.observe.inside import reading
from firstlight.observe.inside.tape.recorder import Recorder
from firstlight.observe.inside.tape.tail import CANNOT, Tail

MOST_VALUES = 1 << 17
LEAST_ROWS, MOST_ROWS = 12, 1024
ASKED = 24
"""Rows, evenly spaced."""
DIRECTIONS = 2
MOST_BLOCKS = 3
FLAT = 2
LEAST_WIDTH = 3
"""On a circle the second derivative of a distance has the other sign."""
EXACT = (torch.float32, torch.float64)
STEP, ROUNDING = 1e-3, 1e-2
"""Of the size of the values, and of the largest trace that is found by it."""
CLEAR = 3.0
"""Times as much as any other must the one be pulled that counts."""
SOLE = 100.0
"""The same of one that is pushed away: among many negatives, those that are alike are always pushed most."""


class Slope(Protocol):
    """Of a loss, at these values; so that it can be derived again, or not."""

    def __call__(self, values: torch.Tensor, again: bool) -> tuple[torch.Tensor, torch.Tensor]: ...


@dataclass(frozen=True)
class Pulled:
    rows: torch.Tensor
    """Places in the batch that were asked."""
    to: torch.Tensor
    """For each, the place that it is pulled to above all others; -1 where there is none."""
    pushed: torch.Tensor
    """For each, the only place that it is pushed away from."""
    force: torch.Tensor
    """From each of them to all places: above zero where they are pulled together."""
    nearing: torch.Tensor
    """By a small step against the gradient, of their cosines."""
    embedded: torch.Tensor
    """What the network gives for each example."""


def embedded(tail: Tail) -> list[torch.Tensor]:
    """What the network gives for each example: the tables that enter the tail, in the order they were made."""
    found: dict[int, tuple[int, torch.Tensor]] = {}
    inside = {row.number for row in tail.rows}
    for row in tail.rows:
        for tensor, _, made in row.inputs:
            enters = tensor.requires_grad and made is not None and made[0].number not in inside
            if enters and made is not None and tensor.ndim and tensor.numel() > 1:
                found[id(tensor)] = made[0].number, tensor
    return [tensor for _, tensor in sorted(found.values(), key=lambda pair: pair[0])]


def fed(recorder: Recorder, outputs: list[torch.Tensor]) -> torch.Tensor | None:
    """The inputs that they were made of, one under the other, where there is one for each; values as they came."""
    inputs = [t for t in recorder.entered if t.is_floating_point() and t.ndim >= FLAT and reading.readable(t)]
    if len(inputs) != len(outputs) or len({tensor.shape[1:] for tensor in inputs}) != 1:
        return None
    if [len(tensor) for tensor in inputs] != [len(tensor) for tensor in outputs]:
        return None
    return torch.cat([tensor.detach().reshape(len(tensor), -1) for tensor in inputs])


def suits(outputs: list[torch.Tensor]) -> bool:
    if not 1 <= len(outputs) <= MOST_BLOCKS or any(tensor.ndim != FLAT for tensor in outputs):
        return False
    rows, values = sum(map(len, outputs)), sum(tensor.numel() for tensor in outputs)
    alike = len({tensor.shape for tensor in outputs}) == 1 and outputs[0].is_floating_point()
    alike = alike and outputs[0].shape[1] >= LEAST_WIDTH
    return alike and LEAST_ROWS <= rows <= MOST_ROWS and values <= MOST_VALUES


def pulled(tail: Tail, outputs: list[torch.Tensor]) -> Pulled | None:
    """None where the loss says nothing of two examples at once."""
    try:
        with torch.enable_grad():
            return _pulled(tail, outputs)
    except CANNOT:
        return None


def _pulled(tail: Tail, outputs: list[torch.Tensor]) -> Pulled | None:
    values = torch.cat([tensor.detach() for tensor in outputs])
    slope = partial(_slope, tail, outputs)
    rows = torch.linspace(0, len(values) - 1, min(ASKED, len(values))).long().unique()
    exact = values.dtype in EXACT and all(row.autocast is None for row in tail.rows)
    traces = _traces(slope, values, rows, exact)
    own = torch.arange(len(rows)), rows
    traces[own] = 0.0
    if not bool(traces.isfinite().all()) or not bool((traces != 0).any()):
        return None
    nearing = _nearing(values, slope(values, again=False)[1])[rows]
    return Pulled(rows, _outstanding(-traces, CLEAR), _outstanding(traces, SOLE), -traces, nearing, values)


def _slope(
    tail: Tail, outputs: list[torch.Tensor], values: torch.Tensor, again: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """What the embeddings are told to be, and the slope of the loss there."""
    leaf: torch.Tensor = values.clone().requires_grad_()
    parts = leaf.split([len(tensor) for tensor in outputs])
    loss = tail.replay({id(tensor): part for tensor, part in zip(outputs, parts, strict=True)})
    return leaf, torch.autograd.grad(loss, leaf, create_graph=again)[0]


def _nearing(values: torch.Tensor, slope: torch.Tensor) -> torch.Tensor:
    """How fast the cosine of each two rows grows, as they go down the slope."""
    values, slope = values.double().cpu(), slope.double().cpu()
    length = values.norm(dim=1, keepdim=True).clamp(min=torch.finfo(torch.float64).tiny)
    unit = values / length
    turning = -(slope - (slope * unit).sum(1, keepdim=True) * unit) / length
    growing: torch.Tensor = turning @ unit.t()
    return growing + growing.t()


def _outstanding(values: torch.Tensor, times: float) -> torch.Tensor:
    """The place of the largest in each row, where it is so many times as large as any other; else -1."""
    first, second = values.topk(2, 1).values.unbind(1)
    return torch.where((first > 0) & (first >= times * second), values.argmax(1), -1)


def _traces(slope: Slope, values: torch.Tensor, rows: torch.Tensor, exact: bool) -> torch.Tensor:
    """Of the second derivative by each of these rows and all others, by a few directions.

    Where torch has none, as of `cdist` of few rows, or it is not finite, by the difference that a small step makes, if
    the numbers are exact enough to show it.
    """
    traces = torch.full((len(rows), len(values)), torch.nan, dtype=torch.float64)
    try:
        leaf, first = slope(values, again=True)
        if not first.requires_grad:
            return torch.zeros_like(traces)
        traces = torch.stack([_trace(row, values, lambda way: _turned(first, leaf, way)) for row in rows.tolist()])
    except RuntimeError:
        first = slope(values, again=False)[1]
    return traces if not exact or bool(traces.isfinite().all()) else _by_steps(slope, first.detach(), values, rows)


def _by_steps(slope: Slope, first: torch.Tensor, values: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    step = float(values.square().mean().sqrt()) * STEP

    def differing(way: torch.Tensor) -> torch.Tensor:
        return (slope(values + step * way, again=False)[1] - first) / step

    traces = torch.stack([_trace(row, values, differing) for row in rows.tolist()])
    return torch.where(traces.abs() > ROUNDING * traces.abs().max(), traces, 0.0)


def _trace(row: int, values: torch.Tensor, turned: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
    generator = torch.Generator().manual_seed(row)
    total = torch.zeros(len(values), dtype=torch.float64)
    for _ in range(DIRECTIONS):
        signs = torch.randint(0, 2, values.shape[1:], generator=generator, device="cpu") * 2 - 1
        way = torch.zeros_like(values)
        way[row] = signs.to(values.device, values.dtype)
        total += (turned(way) @ way[row]).double().cpu()
    return total


def _turned(first: torch.Tensor, leaf: torch.Tensor, way: torch.Tensor) -> torch.Tensor:
    return torch.autograd.grad((first * way).sum(), leaf, retain_graph=True)[0]
