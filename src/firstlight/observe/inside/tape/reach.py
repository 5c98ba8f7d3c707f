"""What the loss could get to over free outputs of the network, over free inputs to its last activation, and over one
output for all examples.

Where the first gets down and the second does not, the activation keeps the answers out of reach, whatever the loss is
and whoever wrote it. The third is what a guess gets that looks at no input.
"""

import contextlib
import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple

import torch

from firstlight.observe.inside import sites
from firstlight.observe.inside.tape.likelihood import SUMS, normalised
from firstlight.observe.inside.tape.recorder import Input, Made, Row
from firstlight.observe.inside.tape.tail import CANNOT, Tail
from firstlight.observe.inside.tape.terms import passes
from firstlight.records.places import Site
from firstlight.records.taped import GuessSeen, ReachSeen

_MOVES = """view reshape squeeze unsqueeze flatten contiguous to float double half bfloat16 type clone transpose permute
t ravel view_as unflatten movedim"""
MOVES = frozenset(_MOVES.split())
"""Calls that only move values about or cast them."""
ROUNDS, KICKS, CYCLES = 80, 15, 5
RATE, FALL = 0.2, 0.96
"""Of the size of what is sought, at the first round; it falls to nothing, five times that size away."""
TINY = 1e-12
NEAR = 0.1
"""Share of the fall with free outputs that may be left for the inputs to have reached it: no more is tried then."""
SETTLED = 0.02
"""Share of the whole fall that large steps may still add at its end."""
MOST_ELEMENTS = 1 << 16
MOST_ACTIVATIONS = 4
"""A sigmoid that is written out, and the logarithm behind it, are three."""
MOST_STEPS = 32
"""Calls of a normalisation that is written out."""
_AFFINE = """add sub mul div neg negative subtract multiply divide rsub __add__ __radd__ __sub__ __rsub__ __mul__
__rmul__ __truediv__ __neg__"""
AFFINE = frozenset(_AFFINE.split())
FEWEST_GUESSED = 8
"""Examples; one output fits fewer of them well by itself."""


def reaches(tail: Tail) -> Iterator[ReachSeen]:
    """One for each activation behind which answers are met."""
    seen: set[int] = set()
    for meeting in tail.meetings:
        for tensor, _, made in meeting.row.inputs:
            into = (meeting.row.name, meeting.row.line)
            for activation in activations(tail, tensor, made):
                if activation.row.number not in seen:
                    seen.add(activation.row.number)
                    with contextlib.suppress(*CANNOT):
                        yield from _reached(tail, activation, into, meeting.answer)
                into = (activation.name, activation.row.line)


def lowest_free(tail: Tail) -> float | None:
    """The lowest loss over free predictions, where one tensor of them meets the answers and the search settles."""
    met = _met(tail)
    if met is None:
        return None
    place, _, answer = met
    with contextlib.suppress(*CANNOT):
        found = _lowest(tail, place, place, _size(place, answer))
        return found.loss if found.settled else None
    return None


def left_when_sure(tail: Tail) -> float | None:
    """The loss of predictions that are sure of the very classes given: nothing, unless the loss itself reckons with
    wrong ones, by smoothing them or by saying how often one is taken for another. None where there are no classes."""
    met = _met(tail)
    if met is None or met[2].is_floating_point():
        return None
    place, made, answer = met
    if answer.ndim == place.ndim and answer.shape[1] == 1:
        answer = answer.squeeze(1)  # a column of places for `gather`
    if place.ndim != answer.ndim + 1:
        return None
    for activation in activations(tail, place, made):
        place = activation.given[0]
    with contextlib.suppress(*CANNOT):
        told = (answer >= 0) & (answer < place.shape[1])
        code = torch.nn.functional.one_hot(answer.where(told, 0), place.shape[1]).to(place.dtype)
        sums = place.detach().sum(1)
        shares = bool((place >= 0).all()) and bool(torch.isclose(sums, torch.ones_like(sums), atol=SUMS).all())
        sure = code if shares else SURE * code
        return float(tail.replay({id(place): sure.cpu()}, on_cpu=True))
    return None


SURE = 32.0
"""A score, the others being 0, that leaves no doubt."""


def best_guess(tail: Tail) -> GuessSeen | None:
    """What is had without looking at the inputs; None where the search does not settle, or few examples were guessed.

    The one output is sought before the activations, where a network is free to give any. What is made of several
    outputs, such as the differences between examples, is not free, and not guessed.
    """
    met = _met(tail)
    if met is None or len(met[0]) < FEWEST_GUESSED or tail.own_answers:
        return None
    place, made, answer = met
    for activation in activations(tail, place, made):
        place, _, made = activation.given
    if not from_a_layer(made):
        return None
    with contextlib.suppress(*CANNOT):
        mean = place.detach().float().mean(0, keepdim=True).to(place.dtype)
        starts = itertools.product((mean, torch.zeros_like(mean)), sorted({1.0, _size(mean, answer)}))
        found = min(_lowest(tail, place, start, size) for start, size in starts)
        tenth = tail.replay({id(place): place.detach() / 10}, on_cpu=True)
        if found.settled:
            loss = float(tail.loss.detach())
            aside = _aside(tail, place)
            return GuessSeen(site=sites.caller(), loss=loss, guess=found.loss, tenth=float(tenth.detach()), aside=aside)
    return None


def _aside(tail: Tail, place: torch.Tensor) -> float:
    """What those parts of the sum that do not rest on this output add to the loss."""
    reached = {number for number, _ in tail.values({id(place): place.detach()}, on_cpu=True)}
    parts: dict[int, torch.Tensor] = {}
    waiting, seen = [tail.rows[-1]], set[int]()
    while waiting:
        row = waiting.pop()
        carrying = [item for item in row.inputs if item[0].requires_grad and row.number not in seen]
        seen.add(row.number)
        for tensor, _, made in carrying if passes(row) else ():
            if made is not None and made[0].number in reached:
                waiting.append(made[0])
            elif tensor is not place:
                parts[id(tensor)] = tensor.detach().cpu().requires_grad_()
    if not parts:
        return 0.0
    with torch.enable_grad():
        slopes = torch.autograd.grad(tail.replay(parts, on_cpu=True), list(parts.values()), materialize_grads=True)
    return sum(float((part.detach() * slope).sum()) for part, slope in zip(parts.values(), slopes, strict=True))


def from_a_layer(made: Made | None) -> bool:
    """Only one tensor that carries a gradient leads back to the call in which trained tensors enter."""
    while made is not None:
        if made[0].door:
            return True
        carrying = [before for tensor, _, before in made[0].inputs if tensor.requires_grad]
        made = carrying[0] if len(carrying) == 1 else None
    return False


def _met(tail: Tail) -> tuple[torch.Tensor, Made | None, torch.Tensor] | None:
    """The one tensor of predictions that meets answers, what made it, and the answers."""
    met = {
        id(tensor): (tensor, made, meeting.answer)
        for meeting in tail.meetings
        for tensor, _, made in meeting.row.inputs
        if tensor.requires_grad and tensor.is_floating_point()
    }
    found = next(iter(met.values()), None)
    return found if found is not None and len(met) == 1 and found[0].numel() <= MOST_ELEMENTS else None


class ValueChanger(NamedTuple):
    """A call that changes values, or several of a normalisation that somebody wrote out."""

    row: Row
    """The last one."""
    name: str
    output: torch.Tensor
    given: Input


def activations(tail: Tail, tensor: torch.Tensor, made: Made | None) -> Iterator[ValueChanger]:
    """What changes values before the meeting, the last first, as long as shapes stay."""
    rows = {row.number for row in tail.rows}
    found = 0
    while made is not None and made[0].number in rows and tensor.requires_grad and found < MOST_ACTIVATIONS:
        row, at = made
        carrying = [item for item in row.inputs if item[0].requires_grad]
        written = normalised(tensor) if len(carrying) > 1 else None
        given = carrying[0] if len(carrying) == 1 else None if written is None else _before(rows, tensor, carrying)
        if given is None or at != 0 or row.writes:
            return
        if written or (row.name not in MOVES and not _is_affine(row)):
            same = given[0].shape == tensor.shape and given[0].is_floating_point()
            if not same or tensor.numel() > MOST_ELEMENTS:
                return
            found += 1
            yield ValueChanger(row, written or row.name, tensor, given)
        tensor, _, made = given


def _is_affine(row: Row) -> bool:
    """Whatever comes behind it can be had before it: by itself it keeps nothing out of reach."""
    return row.name in AFFINE and all(item[0].requires_grad or item[0].numel() == 1 for item in row.inputs)


def _before(rows: set[int], tensor: torch.Tensor, carrying: list[Input]) -> Input | None:
    """A tensor of the same shape that everything carrying a gradient comes by on its way to this one: the first that
    was not put together of several itself, as scores are that were shifted by their largest."""
    waiting = {id(item[0]): item for item in carrying}
    found: Input | None = None
    for _ in range(MOST_STEPS):
        last = max(waiting.values(), key=lambda item: -1 if item[2] is None else item[2][0].number)
        made = last[2][0] if last[2] is not None and last[2][0].number in rows else None
        before = [] if made is None else [item for item in made.inputs if item[0].requires_grad]
        if len(waiting) == 1 and last[0].shape == tensor.shape:
            found = last
            if len(before) == 1:
                break
        if not before:
            break
        del waiting[id(last[0])]
        waiting |= {id(item[0]): item for item in before}
    return found


def _reached(
    tail: Tail, activation: ValueChanger, into: tuple[str, Site | None], answer: torch.Tensor
) -> Iterator[ReachSeen]:
    """Inputs are sought from several starts and at several sizes: a poor search must not pass for a limit. So they are
    at each place from which a network may go around its activation (values that are clipped in one of two losses)."""
    given, output, size = activation.given[0], activation.output, _size(activation.output, answer)
    loss, free = float(tail.loss.detach()), _lowest(tail, output, output, size)
    if not free.settled or _counts_on_shares(tail, output, free.loss + NEAR * (loss - free.loss)):
        return
    starts = [(given, start) for start in (given.detach(), given.detach().abs() + 0.1, -given.detach().abs() - 0.1)]
    starts += [(place, place.detach()) for place in _ways_around(tail, activation.given)]
    bound, enough = _Lowest(math.inf, settled=False), free.loss + NEAR * (loss - free.loss)
    for (place, start), each in itertools.product(starts, sorted({1.0, size, _size(given)})):
        bound = min(bound, _lowest(tail, place, start, each))
        if bound.loss <= enough:
            break
    if bound.settled or bound.loss <= enough:
        yield ReachSeen(
            operation=activation.name,
            probable=not answer.is_floating_point() or bool(((answer >= 0) & (answer <= 1)).all()),
            site=activation.row.line,
            meeting=into[1],
            into=into[0],
            loss=loss,
            free=free.loss,
            bound=bound.loss,
        )


def _counts_on_shares(tail: Tail, output: torch.Tensor, enough: float) -> bool:
    """Outputs that share out a whole, where being sure of everything at once would do: the loss takes it for granted
    that who is surer of one thing is less sure of others, and what it gets to without that says nothing."""
    if normalised(output) != "softmax":
        return False
    return float(tail.replay({id(output): torch.ones_like(output, device="cpu")}, on_cpu=True)) <= enough


def _ways_around(tail: Tail, given: Input) -> Iterator[torch.Tensor]:
    """What the input of an activation is made of alone, wherever other rows of the loss take it as well."""
    rows = {row.number for row in tail.rows}
    made = given[2]
    while made is not None and made[0].number in rows:
        carrying = [item for item in made[0].inputs if item[0].requires_grad]
        if len(carrying) != 1:
            return
        place, _, made = carrying[0]
        taken = sum(any(item[0] is place for item in row.inputs) for row in tail.rows)
        if taken > 1 and place.numel() <= MOST_ELEMENTS:
            yield place


def _size(*tensors: torch.Tensor) -> float:
    return max([1.0, *(float(t.detach().double().abs().max()) for t in tensors if t.is_floating_point())])


class _Lowest(NamedTuple):
    loss: float
    settled: bool
    """It was no longer falling at the end, as losses without a lower end are."""


def _lowest(tail: Tail, place: torch.Tensor, start: torch.Tensor, size: float) -> _Lowest:
    """First with steps that become smaller, then with large ones again: from a true low they lead nowhere."""
    path, value = _descend(tail, place, start, [RATE * size * FALL**at for at in range(ROUNDS)])
    first, lowest = path[0], min(path)
    for _ in range(CYCLES):
        path, value = _descend(tail, place, value, [RATE * size] * KICKS)
        gained, lowest = lowest - min(path), min(lowest, *path)
        if not all(map(math.isfinite, path)):
            return _Lowest(math.inf, settled=False)
        if gained <= SETTLED * max(first - lowest, TINY):
            return _Lowest(lowest, settled=True)
    return _Lowest(lowest, settled=False)


def _descend(
    tail: Tail, place: torch.Tensor, start: torch.Tensor, rates: list[float]
) -> tuple[list[float], torch.Tensor]:
    """By Adam, written out because an optimizer of torch's would be seen as the program's own."""
    value = start.detach().cpu().clone()
    mean, square = torch.zeros_like(value), torch.zeros_like(value)
    path = []
    for at, rate in enumerate(rates, start=1):
        loss, pull = slope(tail, place, value)
        path.append(loss)
        mean.mul_(0.9).add_(pull, alpha=0.1)
        square.mul_(0.99).addcmul_(pull, pull, value=0.01)
        value = value - rate * math.sqrt(1 - 0.99**at) / (1 - 0.9**at) * mean / (square.sqrt() + TINY)
    return path, value


def slope(tail: Tail, place: torch.Tensor, value: torch.Tensor) -> tuple[float, torch.Tensor]:
    with torch.enable_grad():
        leaf = value.detach().requires_grad_()
        loss = tail.replay({id(place): leaf.expand(place.shape)}, on_cpu=True)
        (found,) = torch.autograd.grad(loss, [leaf])
    return float(loss.detach()), found
