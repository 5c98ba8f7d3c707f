"""Losses that expect probabilities and are given scores: over free scores they fall without end.

What a loss is made for is found by trying. Where answers lie between 0 and 1, and predictions that equal them are the
best of a few probabilities, it compares probabilities; were it made for scores as well, it would have a floor.
"""

import contextlib
import math
from collections.abc import Iterator

import torch

from firstlight.observe.inside.tape.compares import MEASURES, NAMED
from firstlight.observe.inside.tape.likelihood import SUMS
from firstlight.observe.inside.tape.reach import TINY, activations, from_a_layer, slope
from firstlight.observe.inside.tape.recorder import Made
from firstlight.observe.inside.tape.tail import CANNOT, Meeting, Tail
from firstlight.records.taped import FloorSeen

ROUNDS, FIRST, FURTHER = 50, 1.0, 1.5
ENOUGH = 100.0
"""Times what differs between probabilities: whatever falls so far has no floor."""
BETTER = 0.02
"""Share of what differs between probabilities by which those that equal the answers must be the best."""
MOST_ELEMENTS = 1 << 20


def floors(tail: Tail) -> Iterator[FloorSeen]:
    """One for each tensor that meets answers between 0 and 1, in a loss that is made for such values.

    What torch's own losses are made for is known; they may stand beside it.
    """
    seen: set[int] = set()
    for meeting in () if tail.own_answers else tail.meetings:
        given = None if meeting.row.name in MEASURES | NAMED else _scores(meeting)
        if given is not None and id(given[0]) not in seen:
            seen.add(id(given[0]))
            with contextlib.suppress(*CANNOT):
                yield from _floor(tail, meeting, *given)


def _scores(meeting: Meeting) -> tuple[torch.Tensor, Made | None] | None:
    """The one tensor of predictions at the meeting, where it has a place for each answer."""
    answer = meeting.answer
    given = [(tensor, made) for tensor, _, made in meeting.row.inputs if tensor.requires_grad]
    if len(given) != 1 or given[0][0].shape != answer.shape or answer.numel() > MOST_ELEMENTS:
        return None
    return given[0] if 0 <= answer.min() < answer.max() <= 1 else None


def _floor(tail: Tail, meeting: Meeting, predicted: torch.Tensor, made: Made | None) -> Iterator[FloorSeen]:
    answer = meeting.answer.detach().cpu().to(predicted.dtype)
    perfect, *others = (
        float(tail.replay({id(predicted): given}, on_cpu=True).detach()) for given in (answer, *_probabilities(answer))
    )
    spread = max(others) - perfect
    if not min(others) - perfect > BETTER * spread or not math.isfinite(spread):
        return
    place = _behind(tail, predicted, made)
    if place is not None:
        scores = predicted.detach()
        yield FloorSeen(
            operation=meeting.row.name,
            site=meeting.row.line,
            low=float(scores.min()),
            high=float(scores.max()),
            perfect=perfect,
            spread=spread,
            lowest=_lowest(tail, place, perfect - ENOUGH * spread),
        )


def _probabilities(answer: torch.Tensor) -> list[torch.Tensor]:
    """Others than the answers; where those are shares of a whole, others that are."""
    for axis in {1, answer.ndim - 1} if answer.ndim > 1 else ():
        if answer.shape[axis] > 1 and bool(((answer.sum(axis) - 1).abs() < SUMS).all()):
            return [torch.full_like(answer, 1 / answer.shape[axis]), answer.roll(1, axis)]
    return [torch.zeros_like(answer), torch.ones_like(answer), torch.full_like(answer, 0.5), 1 - answer]


def _behind(tail: Tail, place: torch.Tensor, made: Made | None) -> torch.Tensor | None:
    """What the network gave, before activations; None where it was made of several outputs."""
    for activation in activations(tail, place, made):
        place, _, made = activation.given
    return place if from_a_layer(made) else None


def _lowest(tail: Tail, place: torch.Tensor, enough: float) -> float:
    """Down the slope, further after each step that went down and half as far after one that did not."""
    value, reach = place.detach().cpu(), FIRST
    lowest, pull = slope(tail, place, value)
    for _ in range(ROUNDS):
        if lowest < enough:
            break
        tried = value - reach * pull / max(float(pull.abs().max()), TINY)
        loss, steeper = slope(tail, place, tried)
        if math.isfinite(loss) and loss < lowest:
            value, lowest, pull, reach = tried, loss, steeper, FURTHER * reach
        else:
            reach /= 2
    return lowest
