"""Which examples a loss pulls together, whatever it is made of: similarities, distances, a matrix of them or a hinge.

Where two examples are pulled together, moving one changes the gradient of the other against it: the trace of the
second derivative by both is negative. It is asked of a copy of the tail, where only the loss's own calls are.
"""

from dataclasses import dataclass

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
CLEAR = 3.0
"""Times as much as any other must the one be pulled that counts."""
SOLE = 100.0
"""The same of one that is pushed away: among many negatives, those that are alike are always pushed most."""


@dataclass(frozen=True)
class Pulled:
    rows: torch.Tensor
    """Places in the batch that were asked."""
    to: torch.Tensor
    """For each, the place that it is pulled to above all others; -1 where there is none."""
    pushed: torch.Tensor
    """For each, the only place that it is pushed away from."""


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
    return alike and LEAST_ROWS <= rows <= MOST_ROWS and values <= MOST_VALUES


def pulled(tail: Tail, outputs: list[torch.Tensor]) -> Pulled | None:
    """None where the loss says nothing of two examples at once."""
    try:
        with torch.enable_grad():
            return _pulled(tail, outputs)
    except CANNOT:
        return None


def _pulled(tail: Tail, outputs: list[torch.Tensor]) -> Pulled | None:
    leaves = [tensor.detach().clone().requires_grad_() for tensor in outputs]
    loss = tail.replay({id(tensor): leaf for tensor, leaf in zip(outputs, leaves, strict=True)})
    slope = torch.cat(torch.autograd.grad(loss, leaves, create_graph=True))
    if not slope.requires_grad:
        return None
    rows = torch.linspace(0, len(slope) - 1, min(ASKED, len(slope))).long().unique()
    traces = torch.stack([_traces(slope, leaves, int(row)) for row in rows])
    own = torch.arange(len(rows)), rows
    traces[own] = 0.0
    if not bool(traces.isfinite().all()) or not bool((traces != 0).any()):
        return None
    return Pulled(rows, _outstanding(-traces, CLEAR), _outstanding(traces, SOLE))


def _outstanding(values: torch.Tensor, times: float) -> torch.Tensor:
    """The place of the largest in each row, where it is so many times as large as any other; else -1."""
    first, second = values.topk(2, 1).values.unbind(1)
    return torch.where((first > 0) & (first >= times * second), values.argmax(1), -1)


def _traces(slope: torch.Tensor, leaves: list[torch.Tensor], row: int) -> torch.Tensor:
    """Of the second derivative by this row and each other, by a few directions."""
    generator = torch.Generator().manual_seed(row)
    total = torch.zeros(len(slope), dtype=torch.float64)
    for _ in range(DIRECTIONS):
        signs = torch.randint(0, 2, slope.shape[1:], generator=generator, device="cpu") * 2 - 1
        signs = signs.to(slope.device, slope.dtype)
        turned = torch.autograd.grad((slope[row] * signs).sum(), leaves, retain_graph=True)
        total += (torch.cat(turned) @ signs).double().cpu()
    return total
