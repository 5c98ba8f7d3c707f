"""What the loss makes of single outputs of the network, found by moving them and computing the loss again.

Three questions that need no knowledge of the loss. Can errors of opposite sign cancel: is the loss blind to every move
that leaves the sum over the examples as it is? Is it blind to the size of all outputs together? And is there an answer
that counts for nothing: is the loss the same whatever the network gives where that answer is asked for?
"""

import contextlib
import math
from collections.abc import Iterator
from itertools import islice

import torch

from firstlight.observe.inside import reading
from firstlight.observe.inside.tape.recorder import PARAMETER, Input, Made, Mark
from firstlight.observe.inside.tape.tail import CANNOT, Meeting, Tail
from firstlight.records.taped import SCALE, CancelSeen, MuteSeen

SUMS = frozenset({"mean", "sum", "nanmean", "nansum", "matmul", "__matmul__", "einsum"})
MOST_ELEMENTS = 1 << 18
FAR = 3.0
"""Times the largest value among outputs and answers: at that distance a loss with a bend has left its straight part."""
SAME = 1e-4
"""Relative; a replay with the outputs as they are must give the loss that the program got."""
HARDLY = 0.1
"""A move that changes the loss by more than this share of a plain shift is not worth telling."""
MOST_VALUES = 8
"""More distinct answers than this are no classes."""
LEAST_ELEMENTS = 16
LEAST_SHARE = 0.05
"""Of all answers."""


def cancelling(tail: Tail, generator: torch.Generator) -> Iterator[CancelSeen]:
    """Along each axis that the answers have, and along the first, that of the examples, where they had it once.

    Where one output is asked example by example, others may well enter by their mean: a centre, a balance of loads.
    """
    met = [item[0] for item in _data(tail)]
    behind = [tensor for item in _data(tail) for tensor in _behind(item)]
    summed = next((row for row in tail.rows if row.name in SUMS), tail.rows[-1])
    found: dict[int, list[CancelSeen]] = {}
    single: set[int] = set()
    for output in outputs_of(tail):
        for axis, length in enumerate(output.shape):
            asked = [t for t in (met if axis else behind) if t.ndim > axis and t.shape[axis] == length]
            if length > 1 and asked:
                with contextlib.suppress(*CANNOT):
                    moved, shifted = _cancel(tail, output, axis, _size(output, *asked), generator)
                    if moved <= HARDLY * shifted and 0 < shifted < math.inf:
                        one = CancelSeen(
                            operation=summed.name,
                            site=summed.line,
                            axis=axis,
                            length=length,
                            loss=float(tail.loss.detach()),
                            moved=moved,
                            shifted=shifted,
                        )
                        found.setdefault(axis, []).append(one)
                    elif moved > 0:
                        single.add(axis)
    for axis, cancelled in found.items():
        yield from cancelled if axis not in single else ()


def _cancel(
    tail: Tail, output: torch.Tensor, axis: int, size: float, generator: torch.Generator
) -> tuple[float, float]:
    """The larger share of two moves, one of the outputs' own size and one far away."""
    move = torch.randn(output.shape, generator=generator, device="cpu").to(output)
    move -= move.mean(axis, keepdim=True)
    found = []
    for scale in (max(float(output.detach().float().square().mean().sqrt()), 1e-3 * size), FAR * size):
        moved = _change(tail, output, output + scale * move)
        shifted = _change(tail, output, output + scale)
        found.append((moved, shifted))
    return max(found, key=lambda pair: pair[0] / pair[1] if pair[1] > 0 else math.inf)


TIMES = (0.1, 10.0)
"""And as many times as make the outputs larger than the answers, which may be far larger before anything is learnt."""
LEAST_SIZE = 1e-12


def scale_free(tail: Tail) -> Iterator[CancelSeen]:
    """Where one number is wanted of each example, and all of them may be multiplied by whatever factor.

    A loss that is blind to a shift too, as a correlation is, asks for no more than an order.
    """
    met = [
        one for one in tail.meetings if one.answer.is_floating_point() and not one.marks & (PARAMETER | Mark.TRAINED)
    ]
    outputs = list(islice(outputs_of(tail), 2))
    if len(outputs) != 1 or not LEAST_ELEMENTS <= outputs[0].numel() == len(outputs[0]):
        return
    (output,) = outputs
    for one in (one for one in met if one.answer.numel() == output.numel()):
        if len(torch.unique(one.answer)) > MOST_VALUES:
            with contextlib.suppress(*CANNOT):
                given, size = output.detach(), _size(output, one.answer)
                large = FAR * size / max(float(given.double().square().mean().sqrt()), LEAST_SIZE)
                moved = max(_change(tail, output, times * given) for times in (*TIMES, large))
                shifted = _change(tail, output, given + size)
                if moved <= HARDLY * shifted and 0 < shifted < math.inf:
                    yield CancelSeen(
                        operation=one.row.name,
                        site=one.row.line,
                        axis=SCALE,
                        length=output.numel(),
                        loss=float(tail.loss.detach()),
                        moved=moved,
                        shifted=shifted,
                    )
                    return


def mute_answers(tail: Tail, generator: torch.Generator) -> Iterator[MuteSeen]:
    """Where one tensor of answers meets one output, place by place: whatever else there is may well mask some."""
    asked = {id(meeting.answer): meeting for meeting in tail.meetings}
    if len(asked) != 1 or _masked(tail) or len(outputs := list(islice(outputs_of(tail), 2))) != 1:
        return
    (meeting,), (output,) = asked.values(), outputs
    answer = meeting.answer
    if meeting.marks & PARAMETER or not answer.is_floating_point() or answer.squeeze().shape != output.squeeze().shape:
        return
    values, counts = torch.unique(answer, return_counts=True)
    if not 1 < len(values) <= MOST_VALUES:
        return
    with contextlib.suppress(*CANNOT):
        yield from _mute(tail, meeting, output, list(zip(values.tolist(), counts.tolist(), strict=True)), generator)


def _mute(
    tail: Tail, meeting: Meeting, output: torch.Tensor, values: list[tuple[float, int]], generator: torch.Generator
) -> Iterator[MuteSeen]:
    answer = meeting.answer.reshape(output.shape)
    noise = torch.randn(output.shape, generator=generator, device="cpu").to(output) * FAR * _size(output, answer)
    changes = {value: _change(tail, output, output + noise * (answer == value)) for value, _ in values}
    most = max(changes.values())
    for value, count in values:
        often = count >= LEAST_ELEMENTS and count >= LEAST_SHARE * answer.numel()
        if often and changes[value] == 0 and 0 < most < math.inf:
            row, of = meeting.row, answer.numel()
            yield MuteSeen(operation=row.name, site=row.line, value=value, elements=count, of=of, others=most)


def _change(tail: Tail, output: torch.Tensor, other: torch.Tensor) -> float:
    replayed = tail.replay({id(output): other.detach()}, on_cpu=True)
    return abs(reading.number(replayed) - reading.number(tail.loss))


def outputs_of(tail: Tail, most: int = MOST_ELEMENTS) -> Iterator[torch.Tensor]:
    """What enters the tail from the network, where the loss can be computed again from it."""
    own = {row.number for row in tail.rows}
    seen: set[int] = set()
    for tensor, marks, made in _inputs(tail):
        within = made is not None and made[0].number in own
        rests = bool(marks & Mark.TRAINED and marks & ~PARAMETER)
        if within or id(tensor) in seen or not (tensor.requires_grad and rests and tensor.ndim > 0):
            continue
        seen.add(id(tensor))
        if tensor.is_floating_point() and tensor.numel() <= most and _repeats(tail, tensor):
            yield tensor


def _repeats(tail: Tail, output: torch.Tensor) -> bool:
    try:
        change = _change(tail, output, output)
    except CANNOT:
        return False
    return change <= SAME * max(1.0, abs(reading.number(tail.loss)))


def _inputs(tail: Tail) -> Iterator[Input]:
    for row in tail.rows:
        yield from row.inputs


def _data(tail: Tail) -> list[Input]:
    """What the loss is given that comes from the data alone."""
    return [item for item in _inputs(tail) if not item[0].requires_grad and _from_data(item[1])]


def _from_data(marks: Mark) -> bool:
    """Data may be drawn, in programs that try something out."""
    return bool(marks & (Mark.DATA | Mark.DRAWN)) and not marks & PARAMETER


def _behind(item: Input) -> Iterator[torch.Tensor]:
    """A tensor and those that it was made from, as far as they are known."""
    waiting: list[tuple[torch.Tensor, Made | None]] = [(item[0], item[2])]
    seen: set[int] = set()
    while waiting:
        tensor, made = waiting.pop()
        if id(tensor) in seen:
            continue
        seen.add(id(tensor))
        yield tensor
        if made is not None:
            waiting.extend((other, origin) for other, marks, origin in made[0].inputs if _from_data(marks))


def _masked(tail: Tail) -> bool:
    return any(tensor.dtype == torch.bool for tensor, _, _ in _inputs(tail))


def _size(*tensors: torch.Tensor) -> float:
    return max(1.0, *(float(t.detach().double().abs().max()) for t in tensors if t.numel() and not t.is_complex()))
