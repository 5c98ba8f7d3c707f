"""Predictions that were computed twice by the same weights from the same thing, and are held against different answers.

A prediction that is held against several answers on purpose (a label and a teacher, two annotators, two kinds of loss)
is computed once. What comes out of two calls of one layer on one tensor is the same: whoever made both calls meant two
layers. A network that is called as a whole twice has nothing in common before its first layer.
"""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import torch

from firstlight.observe.inside.tape.compares import DIFFERENCES, is_comparison
from firstlight.observe.inside.tape.examples import differing
from firstlight.observe.inside.tape.pull import LEAST_ANSWERS
from firstlight.observe.inside.tape.recorder import PARAMETER, Mark, Row, walk
from firstlight.observe.inside.tape.tail import Meeting, Tail
from firstlight.records.taped import TwiceSeen

MOST_MEETINGS = 16
MOST_ROWS = 3000
MOST_ELEMENTS = 1 << 20


class _Compared(NamedTuple):
    meeting: Meeting
    predicted: torch.Tensor
    doors: dict[int, Row]
    """The calls of layers that gave the prediction, by their numbers."""


def predicted_twice(tail: Tail) -> Iterator[TwiceSeen]:
    """The first prediction that has such twins, with how many there are."""
    compared = list(islice(_compared(tail), MOST_MEETINGS))
    for at, first in enumerate(compared):
        twins = [other for other in compared[at + 1 :] if _is_again(first, other)]
        if twins:
            layer = next(iter(first.doors.values()))
            answers = [_likeness(first.meeting.answer, twin.meeting.answer) for twin in twins]
            yield TwiceSeen(
                operation=layer.name,
                site=layer.line,
                met=first.meeting.row.line,
                met_again=twins[0].meeting.row.line,
                times=1 + len(twins),
                examples=len(first.predicted),
                likeness=max(answers),
            )
            return


def _compared(tail: Tail) -> Iterator[_Compared]:
    for meeting in tail.meetings:
        row, answer = meeting.row, meeting.answer
        if meeting.marks & PARAMETER or not (is_comparison(row) or row.name in DIFFERENCES):
            continue
        if not LEAST_ANSWERS <= answer.numel() <= MOST_ELEMENTS or answer.is_complex() or answer.is_sparse:
            continue
        for tensor, marks, made in row.inputs:
            if tensor.requires_grad and tensor.ndim and marks & Mark.TRAINED and made is not None:
                yield _Compared(meeting, tensor, _doors(made[0]))


def _doors(top: Row) -> dict[int, Row]:
    found, seen, waiting = dict[int, Row](), set[int](), [top]
    while waiting and len(seen) < MOST_ROWS:
        row = waiting.pop()
        if row.number in seen:
            continue
        seen.add(row.number)
        if row.door:
            found[row.number] = row
        else:
            waiting.extend(made[0] for tensor, _, made in row.inputs if made is not None and tensor.requires_grad)
    return found


def _is_again(one: _Compared, other: _Compared) -> bool:
    if one.meeting.row.name != other.meeting.row.name or not one.doors or not other.doors:
        return False
    if one.doors.keys() & other.doors.keys() or not _weights(one) & _weights(other):
        return False
    if one.predicted.shape != other.predicted.shape or not torch.equal(one.predicted, other.predicted):
        return False
    if differing(one.predicted, len(one.predicted)) == 1 or not _differ(one.meeting.answer, other.meeting.answer):
        return False
    return bool(_network(one) & _network(other))


def _weights(compared: _Compared) -> set[int]:
    return {id(t) for row in compared.doors.values() for t, marks, _ in row.inputs if marks == Mark.TRAINED}


def _network(compared: _Compared) -> set[int]:
    """Calls of layers before the last ones."""
    behind = (
        made[0] for row in compared.doors.values() for t, _, made in row.inputs if made is not None and t.requires_grad
    )
    return {row.number for top in behind for row in islice(walk(top, within=True), MOST_ROWS) if row.door}


def _differ(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Not only in their order: a mixture of examples takes the same answers twice."""
    if one.shape != other.shape or one.dtype != other.dtype or one.device != other.device or torch.equal(one, other):
        return False
    return not torch.equal(one.detach().flatten().sort().values, other.detach().flatten().sort().values)


def _likeness(one: torch.Tensor, other: torch.Tensor) -> float:
    """Correlation; 1 where one of them does not vary."""
    values = torch.stack([one.detach().flatten().double(), other.detach().flatten().double()])
    found = float(torch.corrcoef(values)[0, 1])
    return found if found == found else 1.0
