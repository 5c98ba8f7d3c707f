"""Likelihoods on the way to where they meet answers or weights, and which way the scores behind them would have to go.

What was normalised is known by its values: shares of a whole, or their logarithms, whoever wrote the normalisation.
Likelihoods are not free, since one of them rises where others fall, and the loss may take them a second way besides. So
it is never they that are moved, but the outputs of the network that they are made of.
"""

from collections.abc import Callable

import torch

from firstlight.observe.inside.tape.compares import LIKELY, PRODUCTS
from firstlight.observe.inside.tape.influence import outputs_of
from firstlight.observe.inside.tape.recorder import Made, Mark
from firstlight.observe.inside.tape.tail import Meeting, Tail

LITTLE = 0.05
"""Of the scores: they are moved by so much."""
SUMS = 1e-3
"""By which the sum of probabilities may differ from 1."""
MOST_READ = 64
"""Examples of which the sums are made."""
MOST_ELEMENTS = 1 << 22
TINY = 1e-30


def prediction_made(meeting: Meeting) -> tuple[torch.Tensor, Made | None]:
    return next(
        (tensor, made)
        for tensor, marks, made in meeting.row.inputs
        if tensor.requires_grad and tensor.ndim and marks & Mark.TRAINED
    )


def normalised(values: torch.Tensor) -> str | None:
    """`softmax` where values are shares of a whole along an axis of an example, `log_softmax` where those of their
    exponentials are; None where neither is so."""
    if values.ndim < 2 or not values.numel() or not values.is_floating_point():
        return None
    some = values.detach()[:MOST_READ].double()
    for axis in {1, some.ndim - 1}:
        if some.shape[axis] > 1 and _is_whole(some, axis):
            return "softmax"
        if some.shape[axis] > 1 and bool((some <= SUMS).all()) and _is_whole(some.exp(), axis):
            return "log_softmax"
    return None


def _is_whole(some: torch.Tensor, axis: int) -> bool:
    return bool((some >= 0).all()) and bool(((some.sum(axis) - 1).abs() < SUMS).all())


def likelihood(tail: Tail, meeting: Meeting) -> torch.Tensor | None:
    """The last likelihood, or its logarithm, on the way to the meeting."""
    own = {row.number for row in tail.rows}
    waiting, seen = [prediction_made(meeting)], set[int]()
    logarithm: torch.Tensor | None = None
    while waiting:
        tensor, made = waiting.pop(0)
        if made is None:
            continue
        if made[0].likely or made[0].name in LIKELY or (made[0].number in own and normalised(tensor) is not None):
            return tensor if logarithm is None else logarithm
        if made[0].name == "log" and bool((tensor <= SUMS).all()):
            logarithm = tensor  # of what is at most 1; that of a sum by which scores are normalised may be anything
        if made[0].number not in own or made[0].number in seen:
            continue
        seen.add(made[0].number)
        waiting += [(item, origin) for item, _, origin in made[0].inputs if item.requires_grad]
    return None


def are_shares(meeting: Meeting) -> bool:
    """The answers of a product are shares of a whole for likelihoods that are: soft targets, or one class in code."""
    predicted, answer = prediction_made(meeting)[0], meeting.answer
    of_classes = normalised(predicted) is not None or normalised(-predicted) is not None
    return answer.shape == predicted.shape and of_classes and normalised(answer) == "softmax"


def weighs(tail: Tail, meeting: Meeting, found: torch.Tensor) -> bool:
    """The product may be one of likelihoods with what they earned.

    It is none where its result is multiplied by something that rests on the predictions as well: then it is itself a
    weight, as in a focal loss. Nor where it takes what is left of a likelihood to 1, which answers ask for by what they
    are not, and weights for the opposite reason.
    """
    predicted = prediction_made(meeting)[0]
    if predicted is not found and predicted.shape == found.shape:
        left = (predicted.detach() + found.detach() - 1).abs().max()
        if bool(left < SUMS):
            return False
    reached = {meeting.row.number}
    for row in tail.rows:
        carrying = [item for item in row.inputs if item[0].requires_grad]
        if not any(made is not None and made[0].number in reached for _, _, made in carrying):
            continue
        reached.add(row.number)
        if row.name in PRODUCTS and sum(item[0].numel() > 1 for item in carrying) > 1:
            return False
    return True


def sense(tail: Tail, meeting: Meeting) -> float | None:
    """1 where what meets the answers rises with the likelihood that it was made from, and -1 where it falls; None where
    some of it does the one, and some the other."""
    found = likelihood(tail, meeting)
    predicted, made = prediction_made(meeting)
    if found is None or made is None or found is predicted:
        return 1.0
    change = _up_to(tail, made)({id(found): found.detach().cpu() + LITTLE}) - predicted.detach().cpu()
    if bool((change >= 0).all()):
        return 1.0
    return -1.0 if bool((change <= 0).all()) else None


def moves_of_scores(
    tail: Tail, meeting: Meeting, wanted: torch.Tensor
) -> dict[int, tuple[torch.Tensor, torch.Tensor]] | None:
    """The outputs of the network as they are, each with the move by which the meeting gets most of what is `wanted`;
    None where nothing moves it."""
    made = prediction_made(meeting)[1]
    outputs = {id(output): output for output in outputs_of(tail, MOST_ELEMENTS)}
    if made is None or not outputs:
        return None
    with torch.enable_grad():
        leaves = {key: output.detach().cpu().requires_grad_() for key, output in outputs.items()}
        asked = (_up_to(tail, made)(leaves) * wanted).sum()
        slopes = torch.autograd.grad(asked, list(leaves.values()), materialize_grads=True)
    steepest = max(float(slope.abs().max()) for slope in slopes)
    if not steepest > TINY:
        return None
    moved = zip(leaves.items(), slopes, strict=True)
    return {key: (leaf.detach(), _size(leaf) * slope / steepest) for (key, leaf), slope in moved}


def _size(scores: torch.Tensor) -> float:
    return LITTLE * max(1.0, float(scores.detach().abs().max()))


def _up_to(tail: Tail, made: Made) -> Callable[[dict[int, torch.Tensor]], torch.Tensor]:
    rows = tuple(row for row in tail.rows if row.number <= made[0].number)
    return lambda instead: Tail(tail.loss, rows, ()).replay(instead, on_cpu=True)
