"""Probabilities that answers choose among along one axis, and that add up to one along another.

Answers that are made probabilities by the same line add up to one where the predictions do. Then it is asked what lies
along that axis: examples that were drawn into the batch have nothing to share, where each has parts of its own.
"""

import contextlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch

from firstlight.observe.inside.tape.compares import PRODUCTS
from firstlight.observe.inside.tape.reach import activations
from firstlight.observe.inside.tape.recorder import Made, Row
from firstlight.observe.inside.tape.sequences import OF_SEQUENCES
from firstlight.observe.inside.tape.tail import CANNOT, Meeting, Tail
from firstlight.records.taped import AxisSeen

CHOOSES = {"gather": 1, "take_along_dim": 2}
"""Calls that choose along an axis: its place among their arguments."""
SHARES = PRODUCTS | {"kl_div", "binary_cross_entropy"}
"""Calls whose answers may be shares of a whole, place by place."""
SOFTMAXES = frozenset({"softmax", "log_softmax"})
ERROR = 0.02
"""Nats that the log-sum-exp of log-probabilities, in half precision at worst, is away from 0."""
ROUNDING = 1e-3
MOST_ELEMENTS = 1 << 20
LEAST_AXES = 3
"""Of what enters the network: examples, their parts, and what is known of each part."""


class _Choice(NamedTuple):
    """Predictions among which answers choose along an axis."""

    row: Row
    predicted: torch.Tensor
    made: Made | None
    axis: int
    drawn: bool = False
    """The other axis is the one along which examples were drawn into the batch."""


def normalised_elsewhere(tail: Tail, entered: Sequence[torch.Tensor] = ()) -> Iterator[AxisSeen]:
    """One for each meeting; where the two axes are equally long (a batch with itself) either may be meant."""
    for row, predicted, made, chosen, drawn in (*_choices(tail), *_alignments(tail), *_lists(tail, entered)):
        logs = _logarithms(predicted.detach())
        if logs is None:
            continue
        errors = [float(logs.logsumexp(axis).abs().max()) for axis in range(logs.ndim)]
        others = [axis for axis, size in enumerate(logs.shape) if size not in (1, logs.shape[chosen])]
        axis = next((axis for axis in others if errors[axis] < ERROR), None)
        if axis is None or not errors[chosen] > ERROR or _picks_wholes(tail, row, predicted):
            continue
        makers = [one.row for one in activations(tail, predicted, made) if one.row.name in SOFTMAXES]
        yield AxisSeen(
            operation=makers[0].name if makers else row.name,
            site=makers[0].line if makers else row.line,
            met_by=row.name,
            shape=tuple(predicted.shape),
            axis=axis,
            chosen=chosen,
            error=errors[chosen],
            drawn=drawn,
        )


def _picks_wholes(tail: Tail, row: Row, predicted: torch.Tensor) -> bool:
    """What was chosen adds up to one itself: answers say whose distribution is meant (that of an action), and not which
    share of one."""
    with contextlib.suppress(*CANNOT):
        chosen = tail.values({id(predicted): predicted.detach()}).get((row.number, 0))
        logs = _logarithms(chosen) if chosen is not None and chosen.numel() else None
        if logs is not None:
            axes = [axis for axis, size in enumerate(logs.shape) if size > 1]
            return any(float(logs.logsumexp(axis).abs().max()) < ERROR for axis in axes)
    return False


def _choices(tail: Tail) -> Iterator[_Choice]:
    for meeting in tail.meetings:
        given = [(tensor, made) for tensor, _, made in meeting.row.inputs if tensor.requires_grad]
        if len(given) != 1 or not 0 < given[0][0].numel() <= MOST_ELEMENTS or given[0][0].ndim < 2:
            continue
        predicted, made = given[0]
        chosen = _chosen(meeting, predicted)
        if chosen is not None:
            yield _Choice(meeting.row, predicted, made, chosen)


def _lists(tail: Tail, entered: Sequence[torch.Tensor]) -> Iterator[_Choice]:
    """Answers to each part of each example, that add up to one over examples drawn at random."""
    of_parts = {tuple(tensor.shape[:2]) for tensor in entered if tensor.ndim >= LEAST_AXES}
    for meeting in tail.meetings:
        row, answer = meeting.row, meeting.answer
        given = [(tensor, made) for tensor, _, made in row.inputs if tensor.requires_grad]
        if row.name not in SHARES or len(given) != 1 or given[0][0].shape != answer.shape:
            continue
        if tuple(answer.shape) not in of_parts or answer.numel() > MOST_ELEMENTS or _marked(answer) != 0:
            continue
        if any(
            made is not None and made[0].drawn == answer.shape for tensor, _, made in row.inputs if tensor is answer
        ):
            yield _Choice(row, *given[0], axis=1, drawn=True)


def _alignments(tail: Tail) -> Iterator[_Choice]:
    """Answers of another length than the predictions, for which the classes always lie along the last axis."""
    for row in tail.rows:
        for tensor, _, made in row.inputs[:1] if row.name == OF_SEQUENCES else ():
            if tensor.requires_grad and tensor.ndim > 1 and 0 < tensor.numel() <= MOST_ELEMENTS:
                yield _Choice(row, tensor, made, tensor.ndim - 1)


def _logarithms(values: torch.Tensor) -> torch.Tensor | None:
    """Of probabilities, or of what may be their logarithms."""
    low, high = float(values.min()), float(values.max())
    if high <= ROUNDING:
        return values.double()
    return values.double().log() if low >= 0 and high <= 1 + ROUNDING else None


def _chosen(meeting: Meeting, predicted: torch.Tensor) -> int | None:
    """The axis along which answers name, or mark, one of several predictions."""
    row, answer = meeting.row, meeting.answer
    if row.name == "nll_loss":
        return 1
    if row.arguments is None or row.name in SHARES:
        return _marked(answer) if answer.shape == predicted.shape else None
    if answer.is_floating_point():
        return None
    if row.name == "__getitem__":
        index = row.arguments[1]
        places = [at for at, one in enumerate(index) if one is answer] if isinstance(index, tuple) else []
        plain = places and all(isinstance(one, torch.Tensor | slice | int) for one in index[: places[0]])
        return places[0] if plain else None
    if row.name not in CHOOSES:
        return None
    place = CHOOSES[row.name]
    axis = row.arguments[place] if len(row.arguments) > place else row.keywords.get("dim")
    return axis % predicted.ndim if isinstance(axis, int) else None


def _marked(answer: torch.Tensor) -> int | None:
    """The one axis along which answers are shares of a whole: a single one among zeros, or soft."""
    if not bool((answer >= 0).all()):
        return None
    sums = {axis: answer.double().sum(axis) for axis, size in enumerate(answer.shape) if size > 1}
    axes = [axis for axis, found in sums.items() if bool(((found - 1).abs() < ROUNDING).all())]
    return axes[0] if len(axes) == 1 else None
